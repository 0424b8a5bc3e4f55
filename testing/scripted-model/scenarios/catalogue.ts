import { say } from '../reply';
import type { Script } from '../script';
import { approval, question } from './approvals';
import { spendthrift } from './budget';
import { delegator, reviewers } from './delegation';
import { explorer } from './explorer';
import { failingRoot } from './failing';
import { longWork } from './long-work';
import { feature, skilled, withSkills } from './skills';
import { streaming } from './streaming';
import { turns } from './turns';

/** A script that can be selected by name. */
export interface Scenario {
  /** What happens, in a few words. */
  readonly summary: string;
  /** What a number after the name means, such as 200 in `turns:200`; undefined if the name takes none. */
  readonly number?: string;
  /** Commands to type, in order. `$id` is the run that the first one starts; after `# or: ` is another command to try. */
  readonly commands: readonly string[];
  /** Creates the script. */
  create(count: number | undefined): Script;
}

/** All scenarios by name, simple ones first. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  explorer: {
    summary: 'reads some files and reports',
    number: 'files to read (4)',
    commands: ['baton run "scenario: explorer:9" -w . --follow'],
    create: (files) => withSkills(explorer(files === undefined ? {} : { files })),
  },
  echo: {
    summary: 'answers with the last message that it received',
    commands: ['baton run "scenario: echo" --follow'],
    create: () => (call) => say(call.lastUserText),
  },
  turns: {
    summary: 'lists the same folder again and again',
    number: 'turns (10)',
    commands: [
      'baton run "scenario: turns:60" -w . --max-repeats 0 --follow',
      'baton run "scenario: turns" -w . --no-hold --follow  # fails: repeats itself',
    ],
    create: (count) => turns(count ?? 10),
  },
  streaming: {
    summary: 'writes a long answer slowly',
    number: 'seconds (6)',
    commands: ['baton run "scenario: streaming" --follow'],
    create: (seconds) => streaming(seconds),
  },
  delegator: {
    summary: 'plans, has a subagent write a report, and reads it',
    commands: [
      'id=$(baton run "scenario: delegator" -w .)',
      'baton show $id --follow',
      'baton tree $id',
      'baton artifacts $id',
    ],
    create: () => delegator(),
  },
  reviewers: {
    summary: 'three reviewers at once; one of them refuses',
    commands: ['id=$(baton run "scenario: reviewers" -w . --no-hold)', 'baton show $id --follow', 'baton tree $id'],
    create: () => reviewers(),
  },
  skilled: {
    summary: 'asks the skill researcher, whose first answer has the wrong form',
    commands: ['id=$(baton run "scenario: skilled" -w .)', 'baton show $id --follow', 'baton tail $id'],
    create: () => skilled(),
  },
  feature: {
    summary: 'research, plan, execute, verify; the first check fails',
    commands: [
      'id=$(baton relay feature --goal "Warn about low water" -w .)',
      'baton show $id --follow',
      'baton diff $id',
    ],
    create: () => feature(),
  },
  'long-work': {
    summary: 'fills a small context window, and hands off',
    commands: [
      'id=$(baton run "scenario: long-work" -w . --window 8000 --max-tokens 1000)',
      'baton show $id --follow',
      'baton show $id',
    ],
    create: () => longWork(),
  },
  parked: {
    summary: 'the provider refuses one of three reviewers, who waits for you',
    commands: [
      'id=$(baton run "scenario: parked" -w . --hold)',
      'baton why $id',
      'baton retry $id     # or: baton amend $id --instructions "Be brief."',
      'baton show $id --follow',
    ],
    create: () => reviewers({ subjects: ['README.md', 'package.json', 'LICENSE.txt'], lockedOut: 'README.md' }),
  },
  approval: {
    summary: 'wants to write a file, which you approve or deny',
    commands: [
      'id=$(baton run "scenario: approval" --approve write_artifact)',
      'baton why $id',
      'baton approve $id   # or: baton deny $id --note "Not today."',
      'baton show $id --follow',
    ],
    create: () => approval(),
  },
  question: {
    summary: 'asks you which version to release',
    commands: [
      'id=$(baton run "scenario: question" --ask)',
      'baton why $id',
      'baton answer $id 1',
      'baton show $id --follow',
    ],
    create: () => question(),
  },
  budget: {
    summary: 'subagents share a budget, and use it up',
    number: 'subagents (3)',
    commands: [
      'id=$(baton run "scenario: budget" --budget-turns 14 --no-hold)',
      'baton show $id --follow',
      'baton tree $id',
    ],
    create: (subagents) => spendthrift(subagents),
  },
  failing: {
    summary: 'fails after its first turn; a retry continues from there',
    commands: [
      'id=$(baton run "scenario: failing" -w . --no-hold)',
      'baton why $id',
      'baton retry $id',
      'baton show $id --follow',
    ],
    create: () => failingRoot(),
  },
};
