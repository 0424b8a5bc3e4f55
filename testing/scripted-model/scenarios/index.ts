import { say } from '../reply/reply';
import type { Script } from '../script';
import { delegator } from './delegator';
import { explorer } from './explorer';
import { feature } from './feature';
import { longWork } from './long-work';
import { reviewers } from './reviewers';
import { skilled } from './skills';
import { turns } from './turns';

/** Scripts that can be selected by name, some with a number after a colon, such as `turns:200`. */
export const scenarios: Readonly<Record<string, (count: number | undefined) => Script>> = {
  explorer: (files) => explorer(files === undefined ? {} : { files }),
  delegator: () => delegator(),
  reviewers: () => reviewers(),
  parked: () => reviewers({ subjects: ['README.md', 'package.json', 'LICENSE.txt'], lockedOut: 'README.md' }),
  skilled: () => skilled(),
  feature: () => feature(),
  'long-work': () => longWork(),
  turns: (count) => turns(count ?? 10),
  echo: () => (call) => say(call.lastUserText),
};

/** Returns the script for a name; undefined when it is unknown. */
export function findScenario(name: string): Script | undefined {
  const [, base = '', count] = /^([a-z-]+)(?::(\d+))?$/.exec(name) ?? [];
  const known = Object.hasOwn(scenarios, base) ? scenarios[base] : undefined;
  return known?.(count === undefined ? undefined : Number(count));
}
