import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { definePrompt } from '../../../domain/prompt';
import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import {
  type Harness,
  type ModelCall,
  say,
  scriptByDepth,
  scriptByTurn,
  startHarness,
  type TestRun,
  useTool,
  useTools,
} from '../../../testing';
import { dispatch } from '../../support/delegation-script';
import { testAddress } from '../../support/harness';
import { eventually, oddServer, registryServer } from '../../support/mcp/servers';

function skill(name: string, more: object): SkillDefinition {
  const parsed = parseSkill({
    name,
    description: 'D.',
    systemPrompt: `You are ${name}.`,
    tools: ['add_note'],
    output: 'text',
    ...more,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}

const caller = definePrompt({
  ns: 'acme',
  key: 'caller',
  description: 'Calls a server.',
  parameters: z.object({}),
  sections: [{ key: 'stance', title: 'Stance', template: 'You call.' }],
  mcp: { odd: ['echo'] },
});
const skills = [
  skill('searcher', { mcp: { odd: ['echo', 'book'] }, tools: ['add_note', 'dispatch_subagent'] }),
  skill('lost', { mcp: { nowhere: '*' } }),
  skill('closed', { tools: ['add_note'] }),
];
const echo = useTool('mcp__odd__echo', { text: 'hello' });

describe('tools of MCP servers', () => {
  let harness: Harness;
  let log: string;
  let folder = '';
  beforeAll(async () => {
    log = join(await startFolder(), 'log');
    harness = await startHarness({
      address: testAddress(),
      skills,
      prompts: [caller.definition],
      mcpServers: {
        everything: registryServer('everything'),
        files: registryServer('filesystem', folder),
        odd: { ...oddServer({ ODD_LOG: log }), timeout: 60_000 },
        broken: { command: 'baton-no-such-command' },
      },
    });
  });
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startFolder(): Promise<string> {
    folder = await mkdtemp(join(tmpdir(), 'baton-mcp-files-'));
    await writeFile(join(folder, 'hello.txt'), 'Hello from a file.');
    return folder;
  }

  const toolsOf = ({ request }: ModelCall): string[] =>
    (request.tools ?? []).map((tool) => (tool as { readonly name: string }).name);
  const mcpToolsAt = (run: TestRun, depth: number): string[] =>
    toolsOf(run.calls.find((call) => call.depth === depth)!).filter((name) => name.startsWith('mcp__'));
  const resultsAt = (run: TestRun, depth: number): string[] =>
    run.calls
      .filter((call) => call.depth === depth)
      .at(-1)!
      .toolExchanges.map(({ result }) => `${result?.isError === true ? 'error: ' : ''}${result?.text ?? ''}`);

  test('are not given to an agent that was not granted them', async () => {
    const run = await harness.run({ goal: 'Call.', script: scriptByTurn(echo, say('done')) });
    expect(mcpToolsAt(run, 0)).toEqual([]);
    expect(resultsAt(run, 0)[0]).toContain('error: There is no tool named "mcp__odd__echo"');
  });

  test('are called by a run that grants them, and their results are texts, artifacts and links', async () => {
    const run = await harness.run({
      goal: 'Call.',
      mcp: { everything: ['echo', 'get-tiny-image', 'get-structured-content'], files: '*', odd: ['binary', 'book'] },
      script: scriptByTurn(
        useTool('mcp__everything__echo', { message: 'hi' }),
        useTool('mcp__everything__get-tiny-image', {}),
        useTool('mcp__everything__get-structured-content', { location: 'Chicago' }),
        useTool('mcp__files__read_text_file', { path: join(folder, 'hello.txt') }),
        useTool('mcp__files__read_text_file', { path: '/etc/passwd' }),
        useTool('mcp__odd__binary', {}),
        say('done'),
      ),
    });
    expect(run.answer).toBe('done');
    expect(mcpToolsAt(run, 0).filter((name) => !name.startsWith('mcp__files__'))).toEqual([
      'mcp__everything__echo',
      'mcp__everything__get-tiny-image',
      'mcp__everything__get-structured-content',
      'mcp__odd__binary',
      'mcp__odd__book',
    ]);
    const [said, image, structured, file, refused, mixed] = resultsAt(run, 0);
    expect(said).toBe('Echo: hi');
    expect(image).toMatch(
      /\[image, image\/png, \d+ bytes: stored as artifact "results\/mcp__everything__get-tiny-image-/,
    );
    expect(structured).toContain('"temperature"');
    expect(structured).not.toContain('Structured content:');
    expect(file).toContain('Hello from a file.');
    expect(refused).toMatch(/^error: .*(denied|outside)/i);
    expect(mixed).toContain('Here is a picture.');
    expect(mixed).toContain('[resource file:///report.md; report; text/markdown]');
    expect(mixed).toContain('An embedded note.');
    expect(mixed).toContain('Structured content:\n{"pictures":1}');
    expect(run.session.slices['artifacts']).toHaveLength(2);
  });

  test('stop the run at its start if they do not exist, with what exists', async () => {
    const start = async (mcp: Record<string, string[] | '*'>): Promise<unknown> =>
      (await harness.run({ goal: 'Call.', mcp, script: () => say('never') })).outcome;
    await expect(start({ od: '*' })).resolves.toMatchObject({
      kind: 'failed',
      type: 'Mcp.UnknownServer',
      message: expect.stringContaining('Servers of this worker: everything, files, odd, broken') as string,
    });
    await expect(start({ odd: ['echo', 'ekho'] })).resolves.toMatchObject({
      kind: 'failed',
      type: 'Mcp.UnknownTool',
      message: expect.stringContaining('Did you mean "echo"?') as string,
    });
    await expect(start({ broken: '*' })).resolves.toMatchObject({ kind: 'failed', type: 'Mcp.Unavailable' });
  });

  test('of a skill or a prompt are given to its agents and to those below, although the root has none', async () => {
    const run = await harness.run({
      goal: 'Delegate.',
      script: scriptByDepth(
        scriptByTurn(
          useTools([
            { name: 'dispatch_subagent', input: dispatch({ prompt_ns: 'acme', prompt_key: 'caller' }) },
            { name: 'dispatch_subagent', input: dispatch({ instructions: 'Look around.' }) },
          ]),
          say('done'),
        ),
        (call) =>
          call.systemText.includes('You call.') && call.turn === 0 ? echo : say(call.toolResults[0]?.text ?? 'nothing'),
      ),
    });
    expect(mcpToolsAt(run, 0)).toEqual([]);
    const below = run.calls.filter(({ depth, turn }) => depth === 1 && turn === 0);
    expect(below.map((call) => toolsOf(call).filter((name) => name.startsWith('mcp__'))).sort()).toEqual([
      [],
      ['mcp__odd__echo'],
    ]);
    const composed = below.find((call) => call.systemText.includes('You call.'))?.systemText ?? '';
    expect(composed).toContain('MCP server odd, granted by the prompt acme/caller');
    expect(composed).toMatch(/mcp\/odd\/echo#[0-9a-f]{12}/);
    expect(resultsAt(run, 0).join('\n')).toContain('echo did hello');
  });

  test('of a skill can be used by the delegations of its agent', async () => {
    const seen: string[][] = [];
    const run = await harness.run({
      goal: 'Delegate.',
      script: (call) => {
        const tools = (call.request.tools ?? []).map((tool) => (tool as { readonly name: string }).name);
        const mcp = tools.filter((name) => name.startsWith('mcp__'));
        if (call.turn === 0) seen.push(mcp);
        if (call.turn > 0) return say('done');
        if (mcp.length === 0) return useTool('dispatch_skill', { skill: 'searcher', input: { goal: 'Search.' } });
        return tools.includes('dispatch_subagent') && seen.length === 2
          ? useTool('dispatch_subagent', dispatch())
          : say('ok');
      },
    });
    expect(run.answer).toBe('done');
    expect(seen).toEqual([[], ['mcp__odd__echo', 'mcp__odd__book'], ['mcp__odd__echo', 'mcp__odd__book']]);
  });

  test('of a server that the worker does not have refuse the delegation', async () => {
    const run = await harness.run({
      goal: 'Delegate.',
      script: scriptByTurn(useTool('dispatch_skill', { skill: 'lost', input: { goal: 'Go.' } }), say('done')),
    });
    expect(resultsAt(run, 0)[0]).toContain('(Mcp.UnknownServer): skill: The MCP server "nowhere" does not exist');
  });

  test('that a skill leaves out can be requested, and restrictions and revocations apply to them', async () => {
    const request = (name: string): ReturnType<typeof useTool> => useTool('request_tool', { name, reason: 'Needed.' });
    const child = scriptByTurn(
      request('mcp__odd__echo'),
      echo,
      useTool('mcp__odd__echo', { text: 'goodbye' }),
      request('mcp__odd__key'),
      say('ok'),
    );
    const root = scriptByTurn(
      useTool('dispatch_skill', { skill: 'closed', input: { goal: 'Go.' } }),
      useTool('mcp__odd__key', {}),
      say('done'),
    );
    const run = await harness.run({
      goal: 'Delegate.',
      mcp: { odd: ['echo', 'book', 'key'] },
      toolRequests: { grant: ['mcp__odd__echo'], deny: [] },
      delegation: {
        tools: {
          mcp__odd__echo: {
            access: 'restricted',
            arguments: { text: { glob: ['hel*'] } },
            reason: 'Only greetings.',
            alternative: 'Say hello.',
          },
          mcp__odd__key: { access: 'revoked', reason: 'Not needed.', alternative: 'Go without.' },
        },
      },
      script: (call) => (call.systemText.includes('You are closed.') ? child(call) : root(call)),
    });
    const told = run.calls
      .filter(({ systemText }) => systemText.includes('You are closed.'))
      .at(-1)!
      .toolExchanges.map(({ result }) => result?.text);
    expect(told).toEqual([
      expect.stringContaining('Granted. You can now use:\n\n`mcp__odd__echo`'),
      'echo did hello',
      expect.stringContaining('Tool.Restricted: mcp__odd__echo was not called: `text` must match "hel*".'),
      expect.stringContaining('mcp__odd__key was denied: it was revoked.'),
    ]);
    expect(mcpToolsAt(run, 0)).toEqual(['mcp__odd__echo', 'mcp__odd__book']);
    expect(resultsAt(run, 0)[1]).toContain('mcp__odd__key was revoked. Reason: Not needed.');
  });

  test('fail with a result for the model when the server changes them, dies, or sends too much', async () => {
    const run = await harness.run({
      goal: 'Call.',
      mcp: { odd: '*' },
      script: scriptByTurn(
        useTool('mcp__odd__changing', { text: 'a' }),
        useTool('mcp__odd__change', {}),
        useTool('mcp__odd__changing', { text: 'b' }),
        useTool('mcp__odd__die', {}),
        useTool('mcp__odd__big', {}),
        useTool('mcp__odd__changing', { text: 'c' }),
        say('done'),
      ),
    });
    const [before, , changed, died, big, after] = resultsAt(run, 0);
    expect(before).toBe('changing did a');
    expect(changed).toContain('error: Mcp.ToolChanged: The tool "changing" of the MCP server "odd" has changed');
    expect(died).toContain('error: Mcp.Interrupted: The MCP server "odd" exited with code 7');
    expect(died).toContain('It may or may not have taken effect.');
    expect(big).toContain('error: Mcp.TooLarge:');
    // The server was started again, as it was when the run pinned it.
    expect(after).toBe('changing did c');
    expect(readFileSync(log, 'utf8')).not.toContain('changing b');
  });

  test('are cancelled with the run', async () => {
    harness.model.setScript(scriptByTurn(useTool('mcp__odd__hang', { text: 'until cancelled' }), say('never')));
    const handle = await harness.baton.startRun({ goal: 'Hang.', mcp: { odd: ['hang'] } });
    await eventually('the call arrives', () => readFileSync(log, 'utf8').includes('hang until cancelled'));
    await handle.cancel();
    await expect(handle.result()).resolves.toMatchObject({ kind: 'cancelled' });
  });
});
