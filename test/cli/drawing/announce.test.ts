import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Announcer } from '../../../cli/operator/announce';
import { plainLine } from '../../../cli/screen/style';
import type { Incident } from '../../../domain/operator';
import { recordTerminal } from '../../support/recorded-terminal';

const incident: Incident = {
  id: 'i1',
  kind: 'question',
  type: 'Agent.Question',
  message: 'Which one? $(touch hacked) `touch hacked`',
  since: '2026-11-17T14:02:00.000Z',
  attempt: 1,
  step: 'turn 1',
  delegation: null,
  tool: 'ask_operator',
  options: ['this', 'that'],
};
const open = { workflowId: 'run/r1/child1', incident };

describe('an announcement', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-notify-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('is made once for each incident: in words, with one bell, and with the command of the user', async () => {
    const { terminal, err } = recordTerminal({ isScreen: true });
    const printed: string[] = [];
    const file = join(folder, 'notified');
    const announcer = new Announcer({
      terminal,
      notify: `printf '%s|%s|%s|%s\\n' "$BATON_RUN" "$BATON_AGENT" "$BATON_INCIDENT" "$BATON_MESSAGE" >> ${file}; cat >> ${file}`,
      print: (lines) => printed.push(...lines.map(plainLine)),
    });
    announcer.announce([open]);
    announcer.announce([open]);
    await announcer.finish();
    expect(err()).toBe('\u0007');
    expect(printed[0]).toMatch(/^! child1 needs you since .*: i1 Agent\.Question \(turn 1\)$/);
    expect(printed).toContain('    [1] this [2] that');
    expect(printed).toContain('    baton answer r1/child1 --incident i1 "…"');
    const [line, json, ...rest] = (await readFile(file, 'utf8')).trim().split('\n');
    expect(line).toBe('r1|r1/child1|i1|Which one? $(touch hacked) `touch hacked`');
    expect(JSON.parse(json!)).toEqual({
      run: 'r1',
      agent: 'r1/child1',
      incident,
      commands: ['baton answer r1/child1 --incident i1 "…"'],
    });
    expect(rest).toEqual([]);
    // The next one of the same agent is another incident.
    announcer.announce([open, { ...open, incident: { ...incident, id: 'i2' } }]);
    expect(err()).toBe('\u0007\u0007');
    await announcer.finish();
  });

  test('rings no bell without a terminal, and a command that fails is only mentioned', async () => {
    const { terminal, err } = recordTerminal();
    const announcer = new Announcer({ terminal, notify: 'echo it is broken >&2; exit 7' });
    announcer.announce([open]);
    await announcer.finish();
    expect(err()).toBe('The command of --notify failed: it ended with exit code 7: it is broken\n');
  });
});
