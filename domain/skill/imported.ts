import { knownModels } from '../model/known-models';
import type { FieldProblem } from './definition';
import { ownToolNames } from './tool-names';

/** What a markdown file of another program says, apart from its text. */
export type Frontmatter = Readonly<Record<string, unknown>>;

export interface ImportedSkill {
  /** In the form of a skill file, not checked yet. */
  readonly value: Readonly<Record<string, unknown>>;
  /** What has no counterpart here. */
  readonly unmapped: readonly FieldProblem[];
}

const toolsOf: Readonly<Record<string, readonly string[]>> = {
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['grep'],
  TodoWrite: ['add_plan_steps', 'update_plan_step'],
};

const modelsOf: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
};

/** An agent of `.claude/agents/`, or a `SKILL.md`: the same fields, except what the list of tools is called. */
export function importMarkdown(front: Frontmatter, body: string, toolsField: 'tools' | 'allowed-tools'): ImportedSkill {
  const tools = mapTools(front[toolsField], toolsField);
  const model = mapModel(front['model']);
  const known = ['name', 'description', 'model', toolsField];
  const others = Object.keys(front).filter((key) => !known.includes(key));
  const { name, description } = front;
  return {
    value: {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      systemPrompt: body.trim(),
      tools: tools.names,
      ...(model.name === undefined ? {} : { model: { name: model.name } }),
    },
    unmapped: [
      ...tools.unmapped,
      ...model.unmapped,
      ...others.map((key) => ({ path: [key], message: 'is not mapped: skills have nothing like it' })),
    ],
  };
}

/** Without a list an agent may use everything; that is kept, and said. */
function mapTools(value: unknown, field: string): { names: readonly string[]; unmapped: FieldProblem[] } {
  if (value === undefined || value === null) {
    return {
      names: ownToolNames,
      unmapped: [{ path: [field], message: 'is not given: the skill gets every built-in tool' }],
    };
  }
  const wanted = Array.isArray(value) ? value.map(asText) : splitList(asText(value));
  const names: string[] = [];
  const unmapped: FieldProblem[] = [];
  for (const name of wanted) {
    const mapped = Object.hasOwn(toolsOf, name) ? toolsOf[name] : ownToolNames.includes(name) ? [name] : undefined;
    if (mapped === undefined)
      unmapped.push({ path: [field], message: `"${name}" is not mapped: there is no such tool` });
    else names.push(...mapped);
  }
  return { names, unmapped };
}

/** Commas inside brackets belong to a restriction, as in `Bash(git add:*, git commit:*)`. */
function splitList(text: string): string[] {
  return (text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []).map((name) => name.trim());
}

function mapModel(value: unknown): { name?: string; unmapped: FieldProblem[] } {
  if (value === undefined || value === null || value === 'inherit') return { unmapped: [] };
  const given = asText(value);
  const name = Object.hasOwn(modelsOf, given) ? modelsOf[given] : given;
  if (name !== undefined && Object.hasOwn(knownModels, name)) return { name, unmapped: [] };
  return {
    unmapped: [
      { path: ['model'], message: `"${given}" is not mapped: it is not a known model, the run's own is used` },
    ],
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
