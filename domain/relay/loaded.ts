import { InvalidInputError } from '../kernel/errors';
import type { Diagnostic } from '../skill/loaded-skill';
import type { RelayDefinition } from './relay-definition';

/** A relay definition and the file it was loaded from. */
export interface LoadedRelay {
  readonly relay: RelayDefinition;
  readonly hash: string;
  readonly file: string;
  readonly from: 'shipped' | 'project';
}

/** The relays of a folder, and the diagnostics of its files. */
export interface RelayFolder {
  readonly relays: readonly LoadedRelay[];
  readonly findings: readonly Diagnostic[];
}

/** All available relays. `get` throws an `UnknownRelayError` for an unknown name. */
export interface RelayCatalog extends RelayFolder {
  get(name: string): LoadedRelay;
}

/** Thrown when no relay has the requested name. */
export class UnknownRelayError extends InvalidInputError {
  constructor(name: string, known: readonly string[]) {
    super('relay', `unknown relay "${name}"`, `Available: ${known.join(', ') || 'none'}.`);
  }
}
