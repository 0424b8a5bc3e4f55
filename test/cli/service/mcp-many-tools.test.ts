import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { registryServer, skillsServer } from '../../support/mcp/servers';
import { until } from '../../support/until';
import { Stand } from '../support/stand';

describe('many tools, prompts and skills of MCP servers on the command line', () => {
  let stand: Stand;
  beforeAll(async () => {
    const script = scriptByTurn(
      useTool('find_tool', { query: 'echo', limit: 1 }),
      useTool('mcp__everything__echo', { message: 'hello' }),
      say('done'),
    );
    stand = await Stand.start(script, { withWorker: false });
    const mcpServers = {
      everything: registryServer('everything'),
      lying: skillsServer({ SKILLS: 'digest' }),
    };
    const config = join(stand.folder, '.mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers }));
    await stand.startWorker({ BATON_MCP_CONFIG: config });
  });
  afterAll(() => stand.close());

  test('a run finds the tool that it needs, and show, tail and audit tell so', async () => {
    const mcp = ['--mcp', 'everything', '--max-tool-tokens', '100'];
    const run = await stand.baton('run', 'Call it.', '--id', 'many', ...mcp, '--follow', '--no-hold');
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('done') as string });
    expect((await stand.baton('tail', 'many')).stdout).toContain('tools: found mcp__everything__echo');
    // A busy worker may take too long to answer.
    const { stdout: shown } = await until(async () => {
      const printed = await stand.baton('show', 'many');
      return printed.stderr.includes('No worker answered') ? undefined : printed;
    });
    expect(shown).toMatch(/deferred +\d+ tools that find_tool brings in/);
    expect(await stand.baton('audit', 'many')).toMatchObject({ exitCode: 0 });
    expect(await stand.baton('run', 'Call it.', '--max-tool-tokens', 'x')).toMatchObject({ exitCode: 2 });
  });

  test('prompts are imported as skills, and a skill with a wrong digest is refused', async () => {
    const imported = await stand.baton('skills', 'import', '--mcp', 'everything', 'args-prompt');
    expect(imported).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Wrote 1 file.') as string });
    expect((await stand.baton('skills', 'show', 'args-prompt')).stdout).toContain('mcp: everything');
    const lying = await stand.baton('skills', 'import', '--mcp', 'lying');
    expect(lying.exitCode).toBe(1);
    expect(lying.stderr).toMatch(
      /The skill "code-review" of the MCP server "lying" was refused: .* has digest sha256:/,
    );
    expect(await readdir(join(stand.folder, '.baton', 'skills'))).toEqual(['args-prompt.yaml']);
    expect(await stand.baton('skills', 'import')).toMatchObject({ exitCode: 2 });
  });
});
