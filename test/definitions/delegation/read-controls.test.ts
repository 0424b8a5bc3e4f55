import { z } from 'zod';
import { readControls } from '../../../definitions/delegation/read-controls';
import { loadRelays } from '../../../definitions/relay/load-relays';
import { readSkill } from '../../../definitions/skill/read-skill';
import { definePrompt } from '../../../domain/prompt';
import { formatDiagnostic } from '../../../domain/skill';
import { projectRoot } from '../../support/paths';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const skillHead = 'name: a\ndescription: A.\nsystemPrompt: You.\ntools: [grep]\n';

/** Errors of a skill whose `delegation` part has these lines. The part begins in line 6. */
function errorsInSkill(part: string): string[] {
  const text = `${skillHead}delegation:\n${part.replace(/^/gm, '  ')}\n`;
  return readSkill({ text, file: 'a.yaml', format: 'baton', from: 'project' }).findings.map(formatDiagnostic);
}

function errorsInRun(text: string, file = 'd.yaml'): string[] {
  const read = readControls(text, file);
  return 'errors' in read ? read.errors.map(formatDiagnostic) : [];
}

describe('the controls of delegations', () => {
  test.each([
    ['an unknown field', 'redact: []', '6:3: error: delegation.redact: unknown field'],
    ['a redaction without a reason', 'redactions:\n  - path: answer', '7:7: error: delegation.redactions[0].reason: '],
    [
      'an empty reason',
      "redactions:\n  - { path: answer, reason: ' ' }",
      '7:23: error: delegation.redactions[0].reason: must not be empty',
    ],
    [
      'a path that is none',
      'redactions:\n  - { path: a//b, reason: r }',
      '7:9: error: delegation.redactions[0].path: must be the path of a section',
    ],
    [
      'a path twice',
      'redactions:\n  - { path: a, reason: r }\n  - { path: a, reason: r }',
      '8:9: error: delegation.redactions[1].path: is listed twice',
    ],
    [
      'an embedded prompt',
      "redactions:\n  - { path: 'delegation-*/*', reason: r }",
      '7:9: error: delegation.redactions[0].path: includes an embedded prompt as a whole',
    ],
    [
      'a placeholder',
      'principles:\n  - Look at ${goal}.',
      '7:7: error: delegation.principles[0]: contains a placeholder',
    ],
    [
      'a marker',
      "policies:\n  added: ['<!-- PARENT PROMPT END -->']",
      '7:13: error: delegation.policies.added[0]: it contains a marker',
    ],
    [
      'a heading of the layout',
      "escalation:\n  partialProgress: '## Tooling Context'",
      '7:5: error: delegation.escalation.partialProgress: it contains the line',
    ],
    [
      'a restriction that restricts nothing',
      'tools:\n  grep: { access: restricted, reason: r, alternative: a }',
      '7:5: error: delegation.tools.grep: must have arguments, maxCalls or approval',
    ],
    [
      'a restriction without an alternative',
      'tools:\n  grep: { access: restricted, reason: r, maxCalls: 1 }',
      '7:5: error: delegation.tools.grep.alternative: ',
    ],
    [
      'another kind of access',
      'tools:\n  grep: { access: added }',
      '7:13: error: delegation.tools.grep.access: must be inherited, restricted or revoked',
    ],
    [
      'an argument without a rule',
      'tools:\n  grep: { access: restricted, reason: r, alternative: a, arguments: { path: {} } }',
      '7:73: error: delegation.tools.grep.arguments.path: must have enum',
    ],
    ['something else than a switch', 'parentPrompt: maybe', '6:3: error: delegation.parentPrompt: '],
  ])('of a skill are refused with file, line and column: %s', (_, part, error) => {
    expect(errorsInSkill(part)[0]).toContain(`a.yaml:${error}`);
  });

  test('of a run are refused with file, line and column, in YAML and in JSON', () => {
    expect(errorsInRun('scope:\n  include: [src]\n  omit: [test]\n')).toEqual([
      'd.yaml:3:3: error: scope.omit: unknown field',
    ]);
    expect(errorsInRun('{\n "parentPrompt": "withheld"}', 'd.json')).toEqual([
      'd.json:2:2: error: parentPrompt: unknown field',
    ]);
    expect(errorsInRun(`principles: ['${'x'.repeat(7_000)}']`)[0]).toContain('must have at most 6144 bytes as JSON');
    expect(errorsInRun('principles: [One.]')).toEqual([]);
  });

  test('can be copied from the documentation', () => {
    const page = readFileSync(join(projectRoot, 'docs', 'prompts.md'), 'utf8');
    const example = /```yaml\n(# controls\.yaml\n[^]*?)```/.exec(page)?.[1] ?? 'none: found';
    expect(errorsInRun(example)).toEqual([]);
  });

  test('of a relay are refused with file, line and column', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-controls-'));
    const steps = 'steps:\n  - { name: s, skill: a, input: { goal: { from: goal } } }\n';
    writeFileSync(
      join(folder, 'r.yaml'),
      `name: r\ndescription: R.\n${steps}delegation:\n  principles:\n    - 'Look at \${goal}.'\n`,
    );
    const { skills } = readSkill({ text: skillHead, file: 'a.yaml', format: 'baton', from: 'project' });
    const { findings } = await loadRelays([{ path: folder, shownAs: 'relays', from: 'project' }], { skills });
    rmSync(folder, { recursive: true });
    expect(findings.map(formatDiagnostic)).toEqual([
      expect.stringContaining('relays/r.yaml:7:7: error: delegation.principles[0]: contains a placeholder'),
    ]);
  });

  test('of a prompt are refused when it is defined, with the field', () => {
    const define = (delegation: object) => () =>
      definePrompt({
        ns: 'n',
        key: 'k',
        description: 'd',
        parameters: z.object({}),
        sections: [{ key: 's', title: 'S' }],
        delegation,
      });
    expect(define({ redactions: [{ path: 'answer' }] })).toThrow('delegation.redactions[0].reason');
    expect(define({ principles: ['## Recap'] })).toThrow('delegation.principles[0]: it contains the line');
    expect(define({ principles: ['Be brief.'] })).not.toThrow();
  });
});
