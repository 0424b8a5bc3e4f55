import { neutralizeMarkers } from '../../kernel';
import { type CompositionInput, escapeReserved, firstSentence } from '../../prompt';
import { isDispatchTool, listedTools, type OfferedTools, requestToolName, type ToolDescription } from '../../tool';
import { deliveredAs, describeExpected, type SkillRequest } from '..';
import { addedEntry, describeParent, type DelegatingParent, without } from './compose-subagent';
import { type AgentEnvironment, describeDeadline, describeEnvironment } from './environment';
import { isRequestable, skillTools } from './skill-agent';

/** The facts from which the prompt of an agent with a skill is composed. */
export interface SkillCompositionInput {
  readonly request: SkillRequest;
  readonly parent: DelegatingParent;
  /** The tools that are sent to the parent's model. */
  readonly tools: readonly ToolDescription[];
  /** The tools of the skill's agent. */
  readonly offer: OfferedTools;
  /** Tools of MCP servers that the skill grants. */
  readonly granted?: readonly ToolDescription[] | undefined;
  /** Whether the agent of the skill may delegate further, as far as the depth limit is concerned. */
  readonly depthLeft: boolean;
  readonly at: string;
  readonly delegationId: string;
  readonly environment: Omit<AgentEnvironment, 'tools' | 'deferred'>;
}

/**
 * Builds the input of the six-section composition for an agent with a skill. The parent's prompt is withheld as a whole
 * unless the skill says otherwise, because the agent of a skill sees only its task. Bound parameters always are.
 */
export function buildSkillComposition(facts: SkillCompositionInput, composite: string): CompositionInput {
  const { request, parent, delegationId, granted = [], depthLeft, offer } = facts;
  const tools = listedTools(facts.tools, offer.shown);
  const listed = skillTools(request.skill, tools, depthLeft, facts.environment.own?.commands);
  const ofSkill = [...listed, ...without(offer.shown, listed)];
  const environment = { ...facts.environment, tools: ofSkill, deferred: offer.deferred.length };
  const given = new Set(ofSkill.map(({ name }) => name));
  const added = without(ofSkill, tools);
  const revoked = tools.filter(({ name }) => !given.has(name));
  return {
    parent: describeParent(parent),
    delegation: delegationOf(
      facts,
      tools.some(({ name }) => given.has(name) && isDispatchTool(name)),
    ),
    instructions: {
      role: escapeReserved(composite.trimEnd()),
      principles: ['The rules under SYSTEM take precedence over everything else here.'],
      toolPolicies: revoked.map(({ name }) => ({ tool: name, text: revocation(name, facts) })),
    },
    tooling: {
      tools: tools.map((tool) => toolEntry(tool, facts, given)),
      ...(added.length === 0
        ? {}
        : {
            added: added.map((tool) => addedEntry(tool, { granted, by: `the skill "${request.skill.name}"`, parent })),
          }),
      environment: describeEnvironment(environment),
    },
    reporting: { ...reportingOf(request), deadline: describeDeadline(environment) },
    redactions: request.skill.delegation?.parentPrompt === 'embedded' ? [] : [wholePrompt(request)],
    delegationId,
  };
}

function wholePrompt({ skill }: SkillRequest): NonNullable<CompositionInput['redactions']>[number] {
  return {
    path: [],
    reason: `an agent with a skill sees only its task; everything that "${skill.name}" needs is in CONTEXT.`,
  };
}

function delegationOf(
  { request, parent, at }: SkillCompositionInput,
  mayDelegateFurther: boolean,
): CompositionInput['delegation'] {
  const { skill, planStep, expectedArtifacts } = request;
  const body = planStep === undefined ? '' : `${planStep.id}: ${planStep.title}`;
  return {
    reason: reasonOf(request),
    expectedCompletion: 'what TASK requires, and a final message in the format that SYSTEM defines',
    mayDelegateFurther,
    taskSummary: `Perform the TASK of the skill \`${skill.name}\` on its INPUT. Both are under Role below, with everything you need to know.`,
    requiredOutputs: [
      ...describeExpected({ names: expectedArtifacts, descriptions: request.describedOutputs ?? [] }),
      'What SYSTEM and TASK require.',
    ],
    scope: { include: ['Only what TASK requires for the INPUT.'] },
    additionalContext:
      planStep === undefined ? [] : [{ title: 'Plan Step', source: `Plan of ${parent.agentId}`, timestamp: at, body }],
  };
}

/** Why the skill was dispatched: the goal, or else the first text of the input, or else the task. */
function reasonOf({ skill, input, task }: SkillRequest): string {
  const texts = ['goal', ...Object.keys(skill.input.properties ?? {})].map((name) => input[name]);
  const words = texts.find((value) => typeof value === 'string' && value.trim() !== '');
  return firstSentence(neutralizeMarkers(typeof words === 'string' ? words : (task ?? skill.task)));
}

function reportingOf({ skill, expectedArtifacts }: SkillRequest): NonNullable<CompositionInput['reporting']> {
  return {
    format:
      skill.output === null
        ? 'Markdown, at most 4,000 characters. Only this message and your artifacts reach the delegating agent.'
        : 'Exactly the format that SYSTEM defines. Only this message and your artifacts reach the delegating agent.',
    attachments: expectedArtifacts.map((name) => ({ name, upload: deliveredAs })),
    citations: 'Cite the files and artifacts that your statements are based on, where the format allows it.',
  };
}

type ToolEntry = NonNullable<NonNullable<CompositionInput['tooling']>['tools']>[number];

function toolEntry(tool: ToolDescription, facts: SkillCompositionInput, given: ReadonlySet<string>): ToolEntry {
  const { name, id, success, cost } = tool;
  const entry = { name, id, success, cost, provenance: `Inherited from ${facts.parent.agentId}` };
  if (given.has(name)) return { ...entry, access: 'inherited' };
  return {
    ...entry,
    access: 'revoked',
    reason: reasonFor(name, facts),
    alternative: isRequestable(name)
      ? `Use the remaining tools. If the work cannot be done without this one, request it with \`${requestToolName}\`.`
      : 'Use the remaining tools, or report what remains to be done.',
  };
}

function reasonFor(tool: string, { request: { skill } }: SkillCompositionInput): string {
  return skill.tools.includes(tool)
    ? 'This agent is at the maximum delegation depth.'
    : `The skill "${skill.name}" does not include it.`;
}

function revocation(tool: string, facts: SkillCompositionInput): string {
  return `not available: ${lowerFirst(reasonFor(tool, facts))}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
