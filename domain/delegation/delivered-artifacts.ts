import { truncateText, utf8 } from '../kernel';
import { artifactsSlice, maxSessionBytes, measureSession, recordsOf, type Session } from '../session';
import type { BlobRef, SpilledText } from '../store';
import type { DispatchPayload, SessionEvent } from '../tool';
import type { DelegationResult, NamedArtifact, ReadyDelegation } from './contract';
import { maxSummaryCharacters } from './dispatch-subagent';
import type { DeliveredToolResult, NamedDelivery } from './results';

/**
 * Adds the artifacts of a turn's delegations to the parent's session, as far as there is room, and lists them in the
 * results. An artifact keeps its name unless another one has it, even one from the same turn: then the delegation id is
 * prefixed. Every name in a result can be read with `read_artifact`.
 */
export function addDelegationArtifacts<E extends Pick<NamedDelivery, 'outcome' | 'events' | 'delivery'>>(
  session: Session,
  executions: readonly E[],
): E[] {
  const delivering = executions.filter(({ delivery }) => delivery !== undefined).length;
  if (delivering === 0) return [...executions];
  const taken = new Set(recordsOf(session, artifactsSlice).map(({ name }) => name));
  const room = { bytes: roomForArtifacts(session) };
  return executions.map((execution) => {
    if (execution.delivery === undefined) return execution;
    const { prepared, result } = execution.delivery;
    const recorded = namedArtifacts(prepared, result, taken, room);
    const share = maxTextPerTurn / delivering;
    const names = listed(recorded, Math.min(maxListedBytes, share));
    return {
      ...execution,
      outcome: {
        ...execution.outcome,
        payload: payloadOf(prepared, result, names),
        ...addendumOf(remarks(execution.delivery, recorded, names), share),
      },
      events: [...recorded.map((artifact) => artifactEvent(artifact, prepared.delegationId)), ...execution.events],
    };
  });
}

/** Bytes of a session that artifacts of delegations leave free for what comes after them. */
const reservedBytes = 32 * 1024;

/** Returns how many bytes of a session the records of delegations' artifacts may still take. */
export function roomForArtifacts(session: Session): number {
  return Math.max(0, maxSessionBytes - reservedBytes - measureSession(session).bytes);
}

/** Maximum bytes of the names in one result. */
const maxListedBytes = 4 * 1024;
/** Maximum length of all names, and of all remarks, in the results of one turn: all of them have to fit into one payload. */
const maxTextPerTurn = 8 * 1024;
/** Maximum bytes of a parsed answer in a result. A longer one becomes an artifact. */
const maxValueBytes = maxSummaryCharacters;
const valueArtifact = 'output.json';

/** The artifacts with the names under which the parent can read them. Those that don't fit into its session are left out. */
function namedArtifacts(
  { delegationId }: ReadyDelegation,
  { artifacts = [], value }: DelegationResult,
  taken: Set<string>,
  room: { bytes: number },
): NamedArtifact[] {
  const all = isLong(value) ? [...artifacts, { name: valueArtifact, ref: value.ref }] : artifacts;
  return all.flatMap((artifact) => {
    const { name } = artifact;
    const candidates = [name, `${delegationId}/${name}`, `${delegationId}/file/${name}`];
    const free = candidates.find((candidate) => !taken.has(candidate));
    const bytes = utf8(JSON.stringify(artifact)).length + 2 * delegationId.length + 20;
    if (free === undefined || bytes > room.bytes) return [];
    taken.add(free);
    room.bytes -= bytes;
    return [{ ...artifact, name: free }];
  });
}

function isLong(value: SpilledText | undefined): value is { readonly ref: BlobRef } {
  return value !== undefined && 'ref' in value && value.ref.bytes > maxValueBytes;
}

/** The names that fit into a result. */
function listed(artifacts: readonly NamedArtifact[], maxBytes: number): string[] {
  let bytes = 0;
  const fits = ({ name }: NamedArtifact): boolean => (bytes += utf8(name).length + 3) <= maxBytes;
  return artifacts.filter(fits).map(({ name }) => name);
}

function payloadOf(
  { promptNs, promptKey }: ReadyDelegation,
  { toolsUsed = [], value }: DelegationResult,
  artifacts: readonly string[],
): DispatchPayload {
  return {
    prompt_ns: promptNs,
    prompt_key: promptKey,
    artifacts,
    tools_used: toolsUsed,
    ...(value === undefined || isLong(value) ? {} : { value }),
  };
}

type Delivery = NonNullable<DeliveredToolResult['delivery']>;

/** What the payload does not say: expectations that were not met or not checked, and names that are not listed. */
function remarks(
  { prepared, result }: Delivery,
  recorded: readonly NamedArtifact[],
  names: readonly string[],
): string[] {
  const { missingArtifacts = [], moreArtifacts = 0, artifacts = [], value } = result;
  const { describedOutputs = [] } = prepared;
  const output = recorded.at(-1);
  const lost = artifacts.length + (isLong(value) ? 1 : 0) + moreArtifacts - recorded.length;
  const unlisted = recorded.length - names.length;
  return [
    ...(missingArtifacts.length === 0 ? [] : [`Expected but not written: ${missingArtifacts.join(', ')}.`]),
    ...(describedOutputs.length === 0
      ? []
      : [`Not checked, because these describe an output and do not name it: ${quoted(describedOutputs)}.`]),
    ...(isLong(value) && output?.ref.hash === value.ref.hash
      ? [`The parsed output has ${value.ref.bytes} bytes: read it with read_artifact "${output.name}".`]
      : []),
    ...(unlisted === 0 ? [] : [`${count(unlisted)} recorded but not listed here.`]),
    ...(lost === 0 ? [] : [`${count(lost)} written but could not be returned.`]),
  ];
}

function count(number: number): string {
  return number === 1 ? '1 more artifact or file was' : `${number} more artifacts or files were`;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ');
}

function addendumOf(lines: readonly string[], maxLength: number): { addendum?: string } {
  return lines.length === 0 ? {} : { addendum: `\n\n${truncateText(lines.join('\n'), Math.floor(maxLength))}` };
}

function artifactEvent({ name, ref, kind }: NamedArtifact, by: string): SessionEvent {
  return {
    type: 'artifactWritten',
    value: { name, ref: { ...ref }, by, ...(kind === undefined ? {} : { kind }) },
  };
}
