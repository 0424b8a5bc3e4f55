import { totalSpent } from '../budget/ledger';
import type { AgentProgress } from '../agent/progress';
import { artifactsSlice, filesSlice, recordsOf, toolsUsed, type FileRecord, type Session } from '../session';
import type { SpilledText } from '../store/spilled';
import type { DelegationResult, DelegationStart, NamedArtifact } from './contract';

const maxChangedFiles = 50;
/** Maximum artifacts in a result, so that the whole result fits into a payload. */
const maxArtifacts = 100;

/**
 * Builds the result of a delegation from the difference between its session and the parent's, from which it started.
 */
export function delegationResult(
  start: DelegationStart,
  progress: AgentProgress,
  baseline: Session,
  summary: SpilledText,
): DelegationResult {
  // The delegation's own handoffs are of no use to its parent.
  const handoffs = new Set(progress.handoffs.map(({ artifact }) => artifact));
  const artifacts = newArtifacts(progress.session, baseline).filter(({ name }) => !handoffs.has(name));
  const files = changedFiles(progress.session, baseline);
  return {
    summary,
    artifacts: artifacts.slice(0, maxArtifacts),
    ...(artifacts.length > maxArtifacts ? { moreArtifacts: artifacts.length - maxArtifacts } : {}),
    changedFiles: files.slice(0, maxChangedFiles).map(({ path }) => path),
    ...(start.returnsFiles === true ? { files } : {}),
    toolsUsed: toolsUsed(progress.session, baseline),
    missingArtifacts: missingArtifacts(start, progress.session, baseline),
    spent: totalSpent(progress.ledger),
  };
}

/** Returns the names of expected artifacts that the delegation has not written. */
export function missingArtifacts(
  { expectedArtifacts }: Pick<DelegationStart, 'expectedArtifacts'>,
  session: Session,
  baseline: Session,
): string[] {
  const delivered = new Set(newArtifacts(session, baseline).map(({ name }) => name));
  return expectedArtifacts.filter((name) => !delivered.has(name));
}

function newArtifacts(session: Session, baseline: Session): NamedArtifact[] {
  const before = new Map(recordsOf(baseline, artifactsSlice).map(({ name, ref }) => [name, ref.hash]));
  return recordsOf(session, artifactsSlice)
    .filter(({ name, ref }) => before.get(name) !== ref.hash)
    .map(({ name, ref }) => ({ name, ref }));
}

function changedFiles(session: Session, baseline: Session): FileRecord[] {
  const before = new Map(recordsOf(baseline, filesSlice).map(({ path, hash }) => [path, hash]));
  return recordsOf(session, filesSlice).filter(({ path, hash }) => before.get(path) !== hash);
}
