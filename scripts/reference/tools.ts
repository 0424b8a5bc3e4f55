import { builtInTools } from '../../activities/tool/builtin';
import { dispatchSkillTool, dispatchSubagentsTool, dispatchSubagentTool } from '../../domain/delegation';
import { runCommandDescription } from '../../domain/command';
import { requestToolDescription } from '../../domain/tool';
import { table } from './source';

/** The part of an input schema that the page shows. */
interface Parameters {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

type ToolDescription = ReturnType<typeof requestToolDescription>;

/** Tools that workflow code runs itself. */
function engineTools(): ToolDescription[] {
  return [dispatchSubagentTool(), dispatchSubagentsTool(), dispatchSkillTool([]), requestToolDescription()];
}

function row({ name, description, inputSchema, safeToRepeat }: ToolDescription): string[] {
  const { properties = {}, required = [] } = inputSchema as Parameters;
  const parameters = Object.keys(properties).map((key) => `\`${key}\`${required.includes(key) ? '' : ' (optional)'}`);
  return [`\`${name}\``, parameters.join(', '), description.replace(/\s+/g, ' '), safeToRepeat ? 'yes' : 'no'];
}

export function toolsPage(): string {
  const head = ['tool', 'parameters', 'description for the model', 'safe to repeat'];
  return [
    '# Tools',
    'The tools that agents can call, unless a skill or a delegation restricts them. A tool that is not safe to repeat is tried once. To add your own: [extending Baton](../extending.md#add-a-tool).',
    '## Run by workers',
    table(
      head,
      builtInTools.map(({ description }) => row(description)),
    ),
    '## Run by workers, if granted',
    'Only for agents to which a run or a skill grants [commands](../commands.md). Commands that are declared safe to repeat run again after a crash.',
    table(head, [row(runCommandDescription({}))]),
    '## Run by workflows',
    table(head, engineTools().map(row)),
  ].join('\n\n');
}
