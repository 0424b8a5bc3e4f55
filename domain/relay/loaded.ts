import { InvalidInputError } from '../errors';
import type { SkillFinding } from '../skill/loaded';
import type { RelayDefinition } from './definition';

/** A relay, and where it is from. */
export interface LoadedRelay {
  readonly relay: RelayDefinition;
  readonly hash: string;
  readonly file: string;
  readonly from: 'shipped' | 'project';
}

export interface RelayFolder {
  readonly relays: readonly LoadedRelay[];
  readonly findings: readonly SkillFinding[];
}

export interface RelayCatalogue extends RelayFolder {
  get(name: string): LoadedRelay;
}

export class UnknownRelayError extends InvalidInputError {
  constructor(name: string, known: readonly string[]) {
    super('relay', `there is no relay "${name}"`, `There are: ${known.join(', ') || 'none'}.`);
  }
}
