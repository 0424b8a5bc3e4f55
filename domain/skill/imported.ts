import type { FieldProblem } from '../kernel';
import { knownModels } from '../model';
import { runCommandName } from '../command';
import { builtInToolNames, isBuiltInTool } from '../tool';

/** The frontmatter fields of a markdown file of another program. */
export type Frontmatter = Readonly<Record<string, unknown>>;

/** A skill converted from the file format of another program. */
export interface ImportedSkill {
  /** Fields of a skill file, not yet validated. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Fields and values without an equivalent in a skill file. */
  readonly unmapped: readonly FieldProblem[];
}

const toolsOf: Readonly<Record<string, readonly string[]>> = {
  Read: [builtInToolNames.readFile],
  Write: [builtInToolNames.writeFile],
  Edit: [builtInToolNames.editFile],
  MultiEdit: [builtInToolNames.editFile],
  Glob: [builtInToolNames.listFiles],
  LS: [builtInToolNames.listFiles],
  Grep: [builtInToolNames.grep],
  // Without a pattern such as `Bash(git log:*)`: a grant of commands can't be limited to patterns.
  Bash: [runCommandName],
  TodoWrite: [builtInToolNames.addPlanSteps, builtInToolNames.updatePlanStep],
};

const modelsOf: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
};

/** Converts an agent of `.claude/agents/` or a `SKILL.md`. They differ only in the name of the tools field. */
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
      // Such files are written for agents that answer freely.
      output: 'text',
      ...(model.name === undefined ? {} : { model: { name: model.name } }),
    },
    unmapped: [
      ...tools.unmapped,
      ...model.unmapped,
      ...others.map((key) => ({ path: [key], message: 'is ignored: skills have no equivalent' })),
    ],
  };
}

/** Maps a tool list. Without a list the agent may use every tool, so the skill gets all built-in tools and a notice. */
function mapTools(value: unknown, field: string): { names: readonly string[]; unmapped: FieldProblem[] } {
  if (value === undefined || value === null) {
    return {
      names: Object.values(builtInToolNames),
      unmapped: [{ path: [field], message: 'is omitted: the skill gets every built-in tool' }],
    };
  }
  const listed = Array.isArray(value) ? value.map(asText) : splitList(asText(value));
  const names: string[] = [];
  const unmapped: FieldProblem[] = [];
  for (const name of listed) {
    const mapped = Object.hasOwn(toolsOf, name)
      ? toolsOf[name]
      : isBuiltInTool(name) || name === runCommandName
        ? [name]
        : undefined;
    if (mapped === undefined)
      unmapped.push({ path: [field], message: `"${name}" is ignored: Baton has no equivalent tool` });
    else names.push(...mapped);
  }
  return { names, unmapped };
}

/**
 * Splits at commas and spaces, except inside brackets, as in `Bash(git add:*, git commit:*)`. A bracket that is never
 * closed separates names. Takes time linear in the length of the text.
 */
function splitList(text: string): string[] {
  const names: string[] = [];
  const lastClosing = text.lastIndexOf(')');
  const name = /[^\s,(]+/g;
  for (let match = name.exec(text); match !== null; match = name.exec(text)) {
    const end = name.lastIndex;
    if (text[end] === '(' && end < lastClosing) name.lastIndex = text.indexOf(')', end) + 1;
    names.push(text.slice(match.index, name.lastIndex));
  }
  return names;
}

function mapModel(value: unknown): { name?: string; unmapped: FieldProblem[] } {
  if (value === undefined || value === null || value === 'inherit') return { unmapped: [] };
  const given = asText(value);
  const name = Object.hasOwn(modelsOf, given) ? modelsOf[given] : given;
  if (name !== undefined && Object.hasOwn(knownModels, name)) return { name, unmapped: [] };
  return {
    unmapped: [
      { path: ['model'], message: `"${given}" is ignored because it is not a known model: the run's model is used` },
    ],
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
