import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { say, scriptByTurn, useTool, useTools, viewConversation } from '../../../testing/scripted-model';
import { filesQuery } from '../../../workflows/messages';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle } from '../../support/harness';
import { processesNamed } from '../../support/processes';
import { describeInSandbox } from '../../support/sandbox';
import { until } from '../../support/until';
import { kill, workersOfEachTest } from '../../support/worker-process';

let folder: string;
let project: { readonly root: string };
let scratchDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-commands-'));
  project = { root: join(folder, 'project') };
  scratchDir = join(folder, 'scratch');
  await mkdir(project.root);
  await writeFile(join(project.root, 'README.md'), '# Tides\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A skill that grants itself commands. */
function tester(): SkillDefinition {
  const parsed = parseSkill({
    name: 'tester',
    description: 'Runs tests.',
    systemPrompt: 'You are a tester.',
    tools: ['read_file'],
    output: 'text',
    commands: { safeToRepeat: ['npm test'], maxSeconds: 60 },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}

/** The results of tool calls that the model received, and the tools that it had, of the calls since `from`. */
function seenSince(harness: Harness, from: number): { readonly results: string[]; readonly tools: string[][] } {
  const calls = harness.model.calls.slice(from);
  return {
    results: calls.flatMap(({ request }) => viewConversation(request).toolResults.map(({ text }) => text)),
    tools: calls.map(({ request }) => (request.tools as { name: string }[]).map(({ name }) => name)),
  };
}

describeInSandbox('commands of agents', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { commands: { scratchDir }, skills: [tester()] });
  });
  afterAll(() => harness.close());

  test('a run that grants them has the tool, and what a command changes are changes of the workspace', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(
      scriptByTurn(
        useTool('run_command', { command: 'tr a-z A-Z < README.md > LOUD.md; cat LOUD.md; rm README.md' }),
        useTools([
          { name: 'read_file', input: { path: 'LOUD.md' } },
          { name: 'run_command', input: { command: 'ls; false' } },
        ]),
        say('Done.'),
      ),
    );
    const handle = await harness.startRun({ workspace: project, commands: {} });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Done.' } });
    const { results, tools } = seenSince(harness, from);
    expect(tools[0]).toContain('run_command');
    expect(results[0]).toMatch(
      /^Exit code 0 after .*\n--- stdout\n# TIDES\n--- end of stdout\nCreated: "LOUD\.md"\nDeleted: "README\.md"$/,
    );
    expect(results[1]).toContain('# TIDES');
    expect(results[2]).toMatch(/^Exit code 1 after .*\n--- stdout\nLOUD\.md\n/);
    const { workspace } = await handle.query(filesQuery);
    expect(workspace?.changes.map(({ path, newHash }) => [path, newHash === null]).sort()).toEqual([
      ['LOUD.md', false],
      ['README.md', true],
    ]);
  });

  test('a run that does not grant them has no such tool', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript(scriptByTurn(useTool('run_command', { command: 'true' }), say('Done.')));
    await (await harness.startRun({ workspace: project })).result();
    const { results, tools } = seenSince(harness, from);
    expect(tools[0]).not.toContain('run_command');
    expect(results).toEqual([expect.stringContaining('There is no tool named "run_command"')]);
  });

  test('a skill that grants them has the tool, and its parent does not', async () => {
    const from = harness.model.calls.length;
    harness.model.setScript((call) => {
      if (!call.systemText.includes('You are a tester')) {
        return call.turn === 0
          ? useTool('dispatch_skill', { skill: 'tester', input: { goal: 'Test it.' } })
          : say(call.toolResults[0]?.text ?? '');
      }
      return call.turn === 0
        ? useTool('run_command', { command: 'echo tested' })
        : say(call.toolResults[0]?.text ?? '');
    });
    await (await harness.startRun({ workspace: project })).result();
    const { tools, results } = seenSince(harness, from);
    expect(results[0]).toContain('--- stdout\ntested\n');
    expect(tools.map((names) => names.includes('run_command'))).toEqual([false, true, true, false]);
  });

  test('a variable that the worker does not pass on is refused at the start', async () => {
    const handle = await harness.startRun({ commands: { env: ['ANTHROPIC_API_KEY'] } });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Input.Invalid',
      message: expect.stringContaining('does not pass on the variable ANTHROPIC_API_KEY') as unknown,
    });
  });
});

describe('commands on a worker without a sandbox', () => {
  let harness: Harness;
  beforeAll(async () => {
    const commands = { scratchDir: join(folder, 'off'), sandbox: 'off' };
    harness = await Harness.start(() => say('Done.'), { commands, skills: [tester()] });
  });
  afterAll(() => harness.close());

  test('a run that grants them fails at its start, and says what to do', async () => {
    const handle = await harness.startRun({ commands: {} });
    expect(await failureOf(handle)).toMatchObject({
      type: 'Command.NoSandbox',
      message: expect.stringMatching(/BATON_SANDBOX is off.*Install bubblewrap.*--unsafe-commands/) as unknown,
    });
    expect(harness.model.calls).toEqual([]);
  });

  test('a skill that grants them is refused to the agent that dispatches it', async () => {
    harness.model.setScript((call) =>
      call.turn === 0
        ? useTool('dispatch_skill', { skill: 'tester', input: { goal: 'Test it.' } })
        : say(call.toolResults[0]?.text ?? ''),
    );
    await (await harness.startRun()).result();
    expect(seenSince(harness, 0).results).toEqual([expect.stringContaining('Command.NoSandbox')]);
  });
});

describe.each(['bwrap', 'unsafe'])('a worker that is killed during a command, with the sandbox %s', (sandbox) => {
  const inSandbox = sandbox === 'unsafe' ? describe : describeInSandbox;
  inSandbox('leaves nothing behind', () => {
    let harness: Harness;
    const fork = workersOfEachTest(() => harness);
    beforeAll(async () => {
      harness = await Harness.start(() => say('no script'), { withWorker: false });
    });
    afterAll(() => harness.close());

    test('and the model learns that the command may have had its effect, unless it is safe to repeat', async () => {
      const from = harness.model.calls.length;
      // Unique numbers, because other tests may run commands on this machine at the same time.
      const [once, again] = sandbox === 'unsafe' ? ['86411', '3.14151'] : ['86412', '3.14152'];
      harness.model.setScript(({ turn, systemText }) => {
        if (turn > 0) return say('Done.');
        const command = systemText.includes('once') ? `setsid sleep ${once} & sleep ${once}` : `sleep ${again}`;
        return useTool('run_command', { command });
      });
      const commands = { scratchDir, sandbox };
      const first = await fork({ commands });
      const runs = await Promise.all([start('Sleep once.'), start('Sleep.')]);
      const count = (seconds: string): number => processesNamed(`sleep ${seconds}`).length;
      await until(() => (count(once) > 0 && count(again) > 0 ? true : undefined));
      await kill(first);
      await until(() => (count(once) + count(again) === 0 ? true : undefined));
      await fork({ commands });
      // The folder of the first worker is gone, and the second one has its own, if it has needed any yet.
      expect((await readdir(scratchDir)).length).toBeLessThanOrEqual(1);
      for (const run of runs) expect(await run.result()).toMatchObject({ answer: { text: 'Done.' } });
      const { results } = seenSince(harness, from);
      expect(results.sort()).toEqual([
        expect.stringMatching(/^Exit code 0 after/),
        expect.stringMatching(/^Tool\.Interrupted: run_command did not finish .* may or may not have taken effect/),
      ]);
    });

    const start = (goal: string): Promise<RunHandle> =>
      harness.startRun({
        goal,
        workspace: project,
        commands: { safeToRepeat: ['sleep *'] },
        tuning: { heartbeatTimeoutMs: 1_000 },
      });
  });
});
