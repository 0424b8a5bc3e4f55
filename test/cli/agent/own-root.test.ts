import { join } from 'node:path';
import { z } from 'zod';
import { auditRun } from '../../../client/prompt/audit-run';
import { agentTree } from '../../../client/delegation/agent-tree';
import { gatherReport } from '../../../client/report/gather-report';
import { say, viewConversation } from '../../../testing/scripted-model';
import { definePrompt, subagentsSection } from '../../../worker';
import type { Harness } from '../../support/harness';
import { discovery, response, shipped, startOnProject } from '../../support/skill-project';
import { until } from '../../support/until';
import { batonInProcess, type Printed } from '../support/in-process';

const reviewer = definePrompt({
  ns: 'acme',
  key: 'reviewer',
  description: 'Reviews a folder.',
  parameters: z.object({ folder: z.string(), goal: z.string().default('Find risks.') }),
  sections: [{ key: 'task', title: 'Task', template: 'Review ${folder}. ${goal}' }, subagentsSection()],
});

/** The system prompt of the last call. */
function systemOf({ model }: Harness): string {
  return viewConversation(model.calls.at(-1)!.request).systemText;
}

describe('baton run with a prompt or a skill', () => {
  let harness: Harness;
  let root: string;
  beforeAll(async () => {
    const started = await startOnProject(await shipped(), { prompts: [reviewer.definition] });
    harness = started.harness;
    ({ root } = started.workspace);
    harness.model.setScript(({ systemText }) =>
      say(systemText.startsWith('# SYSTEM') ? response(discovery) : 'No risks.'),
    );
  });
  afterAll(() => harness.close());

  const baton = (...args: readonly string[]): Promise<Printed> => {
    const { client, folder, taskQueue } = harness;
    const env = { BATON_TASK_QUEUE: taskQueue, BATON_STORE_DIR: join(folder, 'store') };
    return batonInProcess({ client, folder, env }, args);
  };
  const started = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await baton('run', ...args);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return stdout.trim();
  };

  /** The line of a run in the list. Other tests start runs on the same server, and its search index lags behind. */
  const listed = (id: string): Promise<string> =>
    until(async () => {
      const { stdout } = await baton('list', '--limit', '1000');
      return stdout.split('\n').find((line) => line.startsWith(id));
    });

  test('--skill starts the skill as root, and every command says which', async () => {
    const id = await started('--skill', 'researcher', '--input', 'goal=How does login work?', '-w', root);
    const followed = await baton('show', id, '--follow');
    expect(followed).toMatchObject({ exitCode: 0, stdout: `${discovery}\n` });
    expect((await baton('show', id)).stdout).toMatch(/^skill +researcher$/m);
    expect(await listed(id)).toMatch(/ researcher: How does login work\?$/);
    expect(JSON.parse((await baton('list', '--limit', '1000', '--json')).stdout)).toContainEqual(
      expect.objectContaining({ runId: id, skill: 'researcher', prompt: null, goal: 'How does login work?' }),
    );
    // Its purpose names the skill, so the row does not name it once more.
    expect((await baton('tree', id)).stdout).toMatch(
      /root +completed · 1 turn · .* {2}researcher: How does login work\?/,
    );
    expect(await agentTree(harness.client, `run/${id}`)).toMatchObject({ skill: 'researcher' });
    const store = harness.store.forRun(id);
    expect(await gatherReport(harness.client, id, () => Promise.resolve(store))).toMatchObject({
      title: 'researcher: How does login work?',
      agents: [{ skill: 'researcher' }],
    });
    expect(await auditRun(harness.client, store)).toMatchObject({ difference: null });
    const description = await harness.client.workflow.getHandle(`run/${id}`).describe();
    expect(await description.staticSummary()).toBe('researcher: How does login work?');
    expect(await description.staticDetails()).toContain('- skill: `researcher`');
  });

  test('--skill takes the goal as an argument too', async () => {
    const { stdout, exitCode } = await baton('run', 'How?', '--skill', 'researcher', '-w', root, '--follow');
    expect({ stdout, exitCode }).toEqual({ stdout: `${discovery}\n`, exitCode: 0 });
    expect(systemOf(harness)).toContain('User Goal: "How?"');
  });

  test('--prompt starts a prompt of the worker as root, and every command says which', async () => {
    const id = await started('--prompt', 'acme/reviewer', '--param', 'folder=a=b');
    expect(await baton('show', id, '--follow')).toMatchObject({ exitCode: 0, stdout: 'No risks.\n' });
    expect(systemOf(harness)).toContain('Review a=b. Find risks.');
    expect((await baton('show', id)).stdout).toMatch(/^prompt +acme\/reviewer$/m);
    expect(await listed(id)).toMatch(/ acme\/reviewer$/);
    expect((await baton('tree', id)).stdout).toMatch(/root +completed · .* acme\/reviewer$/m);
    const again = await baton('run', '--prompt', 'acme/other', '--id', id);
    expect(again).toMatchObject({ exitCode: 2 });
    expect(again.stderr).toContain('Its goal, prompt, skill or relay is another one: "acme/reviewer".');
  });

  test.each([
    [
      'an unknown prompt',
      ['--prompt', 'acme/reviwer'],
      /Prompt\.Unknown: prompt: prompt acme\/reviwer does not exist\. Did you mean acme\/reviewer\?/,
    ],
    ['a missing parameter', ['--prompt', 'acme/reviewer'], /Prompt\.MissingParameter: prompt\.parameters\.folder: /],
    [
      'an unknown skill',
      ['Look', '--skill', 'reseacher'],
      /Input\.Invalid: Unknown skill "reseacher"\. Did you mean "researcher"\?/,
    ],
  ])('says at once why the worker does not accept %s', async (_, args, message) => {
    for (const more of [[], ['--follow']]) {
      const { stdout, stderr, exitCode } = await baton('run', ...args, ...more);
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });

  test.each([
    ['nothing', [], /goal: it is missing\. Pass a goal, --prompt ns\/key or --skill name\./],
    ['a prompt and a skill', ['--prompt', 'a/b', '--skill', 'c'], /--skill: a run has a prompt or a skill, not both/],
    ['a parameter without a prompt', ['x', '--param', 'a=b'], /--param: it belongs to a prompt/],
    ['an input without a skill', ['x', '--input', 'a=b'], /--input: it belongs to a skill/],
    ['two goals', ['x', '--skill', 'researcher', '--input', 'goal=y'], /goal: it is given twice/],
    ['a prompt without a namespace', ['--prompt', 'reviewer'], /Must be a namespace and a key, such as acme\/reviewer/],
    ['a value without a name', ['--skill', 'researcher', '--input', 'x'], /Must be a name and a value/],
    ['a value twice', ['--skill', 'researcher', '--input', 'a=1', '--input', 'a=2'], /"a" is given twice/],
    [
      'a field that a skill of this folder does not have',
      ['x', '--skill', 'researcher', '--input', 'size=2'],
      /--input.*size.*\n?.*goal, focus \(optional\)/,
    ],
    ['a field that it misses', ['--skill', 'researcher'], /--input.*goal/],
  ])('refuses %s before anything is started', async (_, args, message) => {
    const { stdout, stderr, exitCode } = await baton('run', ...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(message);
  });
});
