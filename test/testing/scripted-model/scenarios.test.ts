import type Anthropic from '@anthropic-ai/sdk';
import { explorer, findScenario, turns } from '../../../testing/scripted-model';
import type { Script } from '../../../testing/scripted-model';
import { ask, closeAll, start, tool } from './support';

afterEach(closeAll);

type RunTool = (name: string, input: { path: string }) => string;

/** Acts as the engine: calls the model and runs the tools until there is an answer. */
async function converse(
  script: Script,
  runTool: RunTool,
  system = 'You are an agent.',
): Promise<{ asked: string[]; answer: string; calls: number }> {
  const { client, model } = await start(script);
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is in here?' }];
  const asked: string[] = [];
  for (;;) {
    const tools = [tool('list_files'), tool('read_file'), tool('write_artifact')];
    const reply = await client.messages.create({ ...ask(''), system, tools, messages });
    const uses = reply.content.filter((block) => block.type === 'tool_use');
    if (uses.length === 0) {
      const answer = reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      return { asked, answer, calls: model.answered };
    }
    const results = uses.map(({ id, name, input }) => {
      asked.push(`${name} ${(input as { path: string }).path}`);
      return { type: 'tool_result' as const, tool_use_id: id, content: runTool(name, input as { path: string }) };
    });
    messages.push({ role: 'assistant', content: reply.content }, { role: 'user', content: results });
  }
}

const listings: Readonly<Record<string, string>> = {
  '.': '.git/\nnode_modules/\nsrc/\nlib/\npackage.json  120 bytes\nREADME.md (2 KB)\nnotes.txt',
  src: 'src/main.ts\nsrc/util.ts',
  lib: 'index.js',
};
const workspace: RunTool = (name, { path }) =>
  name === 'list_files' ? (listings[path] ?? '') : `# About ${path}\n\nMore of it.\n`;

describe('the explorer', () => {
  it('lists, reads files one by one, and summarizes them', async () => {
    const { asked, answer, calls } = await converse(explorer(), workspace);
    expect(asked).toEqual([
      ...['list_files .', 'list_files src', 'list_files lib'],
      ...['read_file README.md', 'read_file package.json', 'read_file notes.txt', 'read_file src/main.ts'],
    ]);
    expect(answer).toContain('I found 6 files and read 4 of them.');
    expect(answer).toContain('- README.md: 2 lines, beginning with "About README.md"');
    expect(calls).toBe(8);
  });

  it('gives the same reply to the same conversation', async () => {
    expect(await converse(explorer(), workspace)).toEqual(await converse(explorer(), workspace));
  });

  it('understands listings in JSON', async () => {
    const json: RunTool = (name) => (name === 'list_files' ? '{"entries":[{"path":"a.md"},{"path":"b.md"}]}' : 'x');
    expect((await converse(explorer({ files: 1 }), json)).asked).toEqual(['list_files .', 'read_file a.md']);
  });

  it('answers in the form that a prompt without one of its own demands', async () => {
    const system = 'End with:\n\n<response>\n  <answer>…</answer>\n</response>';
    const { answer } = await converse(explorer({ files: 1 }), () => 'a < b & c.txt', system);
    expect(answer).toMatch(/^<response><answer>I found [^]*<\/answer><\/response>$/);
    expect(answer).not.toMatch(/ < | & /);
  });

  it('plays the shipped skills when it is chosen by name', async () => {
    const { answer } = await converse(findScenario('explorer')!, workspace, 'You are a researcher. Find out.');
    expect(answer).toMatch(/^<response><discovery><answer>It is about About README\.md\./);
  });

  it('answers even if there is nothing to read', async () => {
    const { asked, answer } = await converse(explorer(), () => '');
    expect(asked).toEqual(['list_files .']);
    expect(answer).toContain('I found 0 files');
  });
});

describe('turns', () => {
  it('are as many as requested, followed by an answer', async () => {
    const script = turns(30, { tool: 'read_file', input: (turn) => ({ path: `${turn}.txt` }) });
    const { asked, answer, calls } = await converse(script, () => 'r');
    expect(asked).toEqual(Array.from({ length: 30 }, (_, turn) => `read_file ${turn}.txt`));
    expect(answer).toBe('Done after 30 turns.');
    expect(calls).toBe(31);
  });

  it('of a long conversation are logged with only one copy of each message', async () => {
    const { client, model } = await start(turns(0));
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'x'.repeat(1000) }];
    await client.messages.create({ ...ask(''), messages });
    await client.messages.create({
      ...ask(''),
      messages: [...messages, { role: 'assistant', content: 'a' }, ...messages],
    });
    const [first, second] = model.calls;
    expect(second!.request.messages).toHaveLength(3);
    expect(second!.request.messages[0]).toBe(first!.request.messages[0]);
    expect(second!.request.messages[2]).toBe(first!.request.messages[0]);
  });
});

describe('named scenarios', () => {
  it('may have a number', async () => {
    expect((await converse(findScenario('turns:3')!, () => 'r')).calls).toBe(4);
    expect((await converse(findScenario('echo')!, () => 'r')).answer).toBe('What is in here?');
  });

  it('can stream an answer slowly, for as many seconds as the number says', async () => {
    const { client } = await start(findScenario('streaming:1')!);
    const texts: string[] = [];
    const startedAt = Date.now();
    const stream = client.messages.stream(ask('Write.')).on('text', (text) => texts.push(text));
    expect(texts).toEqual([]);
    const answer = await stream.finalText();
    expect(texts).toHaveLength(20);
    expect(texts.join('')).toBe(answer);
    expect(answer).toMatch(/^1\. The tide .* End\.$/s);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(950);
  });

  it('are undefined when unknown', () => {
    for (const name of ['', 'nothing', 'constructor', 'turns:x']) expect(findScenario(name)).toBeUndefined();
  });
});
