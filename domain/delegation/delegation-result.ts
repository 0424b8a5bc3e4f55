import { type AgentProgress, ownSpending } from '../agent';
import { totalSpent } from '../budget';
import { utf8 } from '../kernel';
import { artifactsSlice, type FileRecord, filesSlice, recordsOf, type Session, toolsUsed } from '../session';
import { mediaTypes, type SpilledText } from '../store';
import { type DelegationResult, type NamedArtifact, transcriptId } from './contract';
import type { DelegationStart } from './start';

/** Maximum number and bytes of JSON of the artifacts in a result, so that the whole result fits into a payload. */
const maxArtifacts = 150;
const maxArtifactBytes = 20 * 1024;

/**
 * Builds the result of a delegation from the difference between its session and the parent's, from which it started. Its
 * changed files are among the artifacts, unless they reach the parent as files: nobody could read them otherwise.
 */
export function delegationResult(
  start: DelegationStart,
  progress: AgentProgress,
  baseline: Session,
  summary: SpilledText,
): DelegationResult {
  const { session } = progress;
  // The delegation's own handoffs are of no use to its parent.
  const handoffs = new Set(progress.handoffs.map(({ artifact }) => artifact));
  const all = deliveredTo(start, session, baseline).filter(({ name }) => !handoffs.has(name));
  const artifacts = fitting(expectedFirst(start, all));
  const more = all.length - artifacts.length;
  const used = toolsUsed(session, baseline);
  const missing = missingArtifacts(start, session, baseline);
  return {
    summary,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(more > 0 ? { moreArtifacts: more } : {}),
    ...(start.returnsFiles === true ? { files: changedFiles(session, baseline) } : {}),
    ...(used.length === 0 ? {} : { toolsUsed: used }),
    ...(missing.length === 0 ? {} : { missingArtifacts: missing }),
    spent: totalSpent(progress.ledger),
    ...ownSpending(progress),
    transcript: transcriptId(progress.head),
    ...(progress.fallbacks === undefined ? {} : { fallbacks: progress.fallbacks }),
  };
}

type Expectations = Pick<DelegationStart, 'expectedArtifacts' | 'returnsFiles'>;

/** Returns the expected names under which the delegation has written neither an artifact nor a file. */
export function missingArtifacts(start: Expectations, session: Session, baseline: Session): string[] {
  const delivered = new Set([
    ...deliveredTo(start, session, baseline).map(({ name }) => name),
    ...changedFiles(session, baseline).flatMap(({ path, hash }) => (hash === null ? [] : [path])),
    ...rewrittenArtifacts(session, baseline),
  ]);
  return start.expectedArtifacts.filter((name) => !delivered.has(name));
}

/** What the parent receives by name: artifacts, and files unless they are returned as files. */
function deliveredTo({ returnsFiles }: Expectations, session: Session, baseline: Session): NamedArtifact[] {
  const artifacts = newArtifacts(session, baseline);
  // Files of agents further down stayed in their copies. Whoever merges files must not mistake them for artifacts.
  if (returnsFiles === true) return artifacts.filter(({ kind }) => kind !== 'file');
  const same = new Set(artifacts.map(({ name, ref }) => `${ref.hash} ${name}`));
  const files = changedFiles(session, baseline).flatMap(asArtifact);
  return [...artifacts, ...files.filter(({ name, ref }) => !same.has(`${ref.hash} ${name}`))];
}

/** A deleted file has no content that could be read. */
function asArtifact({ path, hash, bytes, mediaType }: FileRecord): NamedArtifact[] {
  if (hash === null) return [];
  return [{ name: path, ref: { hash, bytes, mediaType: mediaType ?? mediaTypes.text }, kind: 'file' }];
}

/** What was expected must be in the result, however much else there is. */
function expectedFirst({ expectedArtifacts }: Expectations, artifacts: readonly NamedArtifact[]): NamedArtifact[] {
  const expected = new Set(expectedArtifacts);
  return [
    ...artifacts.filter(({ name }) => expected.has(name)),
    ...artifacts.filter(({ name }) => !expected.has(name)),
  ];
}

function fitting(artifacts: readonly NamedArtifact[]): NamedArtifact[] {
  let bytes = 0;
  const end = artifacts.findIndex((artifact, index) => {
    bytes += utf8(JSON.stringify(artifact)).length;
    return index >= maxArtifacts || bytes > maxArtifactBytes;
  });
  return artifacts.slice(0, end === -1 ? artifacts.length : end);
}

function newArtifacts(session: Session, baseline: Session): NamedArtifact[] {
  const before = new Map(recordsOf(baseline, artifactsSlice).map(({ name, ref }) => [name, ref.hash]));
  return recordsOf(session, artifactsSlice)
    .filter(({ name, ref }) => before.get(name) !== ref.hash)
    .map(({ name, ref, kind }) => ({ name, ref, ...(kind === undefined ? {} : { kind }) }));
}

/** Names of artifacts that were written again with the content that the parent has already. */
function rewrittenArtifacts(session: Session, baseline: Session): string[] {
  const before = new Map(recordsOf(baseline, artifactsSlice).map(({ name, by }) => [name, by]));
  return recordsOf(session, artifactsSlice)
    .filter(({ name, by, kind }) => kind !== 'file' && before.get(name) !== by)
    .map(({ name }) => name);
}

function changedFiles(session: Session, baseline: Session): FileRecord[] {
  const before = new Map(recordsOf(baseline, filesSlice).map(({ path, hash }) => [path, hash]));
  return recordsOf(session, filesSlice).filter(({ path, hash }) => before.get(path) !== hash);
}
