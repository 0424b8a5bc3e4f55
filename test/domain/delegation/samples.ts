import { defaultLimits } from '../../../domain/agent';
import type { SkillRequest } from '../../../domain/delegation';
import { buildSkillComposition, skillTools } from '../../../domain/delegation/prepare';
import type { SkillCompositionInput } from '../../../domain/delegation/prepare/compose-skill';
import { agentPrompt, type ComposedPrompt, composePromptFromBytes, renderPrompt } from '../../../domain/prompt';
import { composeSkillPrompt, type SkillDefinition } from '../../../domain/skill';
import type { ToolDescription } from '../../../domain/tool';

export function tool(name: string): ToolDescription {
  return {
    name,
    id: `sample/${name}@1`,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    success: `${name} is done.`,
    cost: 'little',
    safeToRepeat: true,
  };
}

const parent = renderPrompt(agentPrompt.definition, {
  parameters: agentPrompt.bind({ goal: 'A secret of the parent.' }),
});

export const parentBytes = Buffer.from(parent.markdown);

/** The prompt of a skill's agent, as the activity for the parent composes it. */
export function composeBelow(
  skill: SkillDefinition,
  {
    context = 'No context is injected for this task.',
    ...more
  }: Partial<SkillCompositionInput> & { readonly context?: string; readonly request?: SkillRequest } = {},
): ComposedPrompt {
  const request = more.request ?? { skill, input: { goal: 'Add OAuth.' }, planStep: undefined, expectedArtifacts: [] };
  const composite = composeSkillPrompt({ skill, context: { text: context }, input: request.input }, 4);
  const { tools = ['read_file', 'write_file', 'dispatch_skill'].map(tool), depthLeft = true } = more;
  const input = buildSkillComposition(
    {
      request,
      parent: { agentId: 'run/sample', ns: parent.ns, key: parent.key, sections: parent.sections },
      tools,
      offer: { shown: skillTools(skill, tools, depthLeft), deferred: [] },
      depthLeft,
      at: '2026-01-02T03:04:05.000Z',
      delegationId: 'sample-id',
      environment: {
        at: '2026-01-02T03:04:05.000Z',
        settings: { limits: defaultLimits, deadline: '2026-01-02T04:04:05.000Z' },
        millisecondsLeft: 3_600_000,
        depth: 1,
        workspace: { files: 2, bytes: 1_234, unread: 0 },
        unspent: { tokens: 50_000 },
      },
      ...more,
    },
    composite.markdown,
  );
  const result = composePromptFromBytes({ bytes: parentBytes }, input);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result;
}

export function textOf({ bytes }: ComposedPrompt): string {
  return Buffer.from(bytes).toString('utf8');
}
