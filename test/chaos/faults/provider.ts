import {
  dropConnection,
  garbleStream,
  hang,
  overloaded,
  rateLimited,
  type ScriptedReply,
  serverError,
} from '../../../testing/scripted-model';
import type { Fault } from './fault';

/** A provider that answers the next one to three calls like this. Each of them is repeated, and no other call. */
function trouble(name: string, summary: string, reply: () => ScriptedReply): Fault {
  return {
    name,
    summary,
    strike({ badReplies, random }) {
      badReplies.push(...Array.from({ length: 1 + random(3) }, reply));
      return Promise.resolve();
    },
  };
}

export const providerFaults: readonly Fault[] = [
  trouble('provider-429', 'the provider answers 429 with Retry-After', () => rateLimited({ retryAfterSeconds: 1 })),
  trouble('provider-529', 'the provider answers 529', () => overloaded()),
  trouble('provider-500', 'the provider answers 500', () => serverError()),
  trouble('provider-hang', 'the provider stops sending in the middle of a reply', () => hang({ afterEvents: 2 })),
  trouble('provider-drop', 'the provider drops the connection in the middle of a reply', () =>
    dropConnection({ afterEvents: 4 }),
  ),
  trouble('provider-malformed', 'the provider sends an event that is not JSON', () => garbleStream({ afterEvents: 4 })),
];
