import {
  checkRelaySkills,
  parseRelay,
  relayHash,
  type FindSkill,
  type LoadedRelay,
  type RelayFolder,
} from '../../domain/relay';
import { atField, readDefinition } from '../diagnostics';

/** The text of a relay file and its origin. */
export interface RelayText {
  readonly text: string;
  /** The file's path as shown in diagnostics. */
  readonly file: string;
  readonly from: LoadedRelay['from'];
}

/** Parses a relay file. Returns the relay if its steps match their skills, otherwise errors. */
export function readRelay({ text, file, from }: RelayText, find: FindSkill): RelayFolder {
  const read = readDefinition(text, file);
  if ('errors' in read) return { relays: [], findings: read.errors };
  const parsed = parseRelay(read.value);
  const problems = parsed.ok ? checkRelaySkills(parsed.relay, find) : parsed.problems;
  if (!parsed.ok || problems.length > 0) {
    return { relays: [], findings: problems.map((problem) => atField(file, 'error', problem, read.locate)) };
  }
  return { relays: [{ relay: parsed.relay, hash: relayHash(parsed.relay), file, from }], findings: [] };
}
