import type { RelayDefinition } from 'baton-agents';
import { projectRelays, projectSkills } from 'baton-agents/worker';

/** What this project adds to Baton: the relays in .baton/relays, and skills, if it has some in .baton/skills. */
export const extensions = {
  relays: projectRelays(process.cwd()),
  skills: projectSkills(process.cwd(), console.error),
};

/** Returns the relay of .baton/relays/change.yaml, for programs that start it. */
export async function changeRelay(): Promise<RelayDefinition> {
  const relay = (await extensions.relays()).find(({ name }) => name === 'change');
  if (relay === undefined) throw new Error('Start this program in the folder that contains .baton.');
  return relay;
}
