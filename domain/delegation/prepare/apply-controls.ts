import { type DefinitionControls, type DelegationControls, mergeControls, type TextControls } from '../../agent';
import { canonicalJson, matchesGlob, utf8 } from '../../kernel';
import { type CompositionInput, formatSectionPath, type SectionPath } from '../../prompt';
import {
  type ApprovalRule,
  describeRestriction,
  explainRestrictions,
  isDispatchTool,
  isRestricting,
  narrowAccess,
  type PinnedAccess,
  restrictionsOf,
  revocationOf,
  withApprovals,
} from '../../tool';
import { DispatchRefusedError } from '..';

/** Everything that controls a delegation, apart from the call itself. */
export interface ControlsInForce {
  /** Those of the definition, and those of the run. */
  readonly controls: TextControls;
  /** The child's access to tools. */
  readonly access: PinnedAccess | undefined;
  /** Sections that were withheld from the parent or from an agent above it. */
  readonly withheldAbove: readonly SectionPath[];
  /** The field of the call that chose the definition. Refusals name it. */
  readonly chosenBy: 'prompt_key' | 'skill';
}

/** Maximum bytes of an agent's restrictions. They are part of its start arguments, and grow with every level. */
const maxAccessBytes = 6 * 1024;

/** Where the controls of a delegation come from. */
export interface ControlSources {
  /** Those of the prompt or skill that is dispatched. */
  readonly definition: DefinitionControls | undefined;
  /** Approval rules of the prompt or skill. Default: none. */
  readonly approve?: readonly ApprovalRule[] | undefined;
  /** Those of the run. Their tools are part of the parent's access. */
  readonly run: DelegationControls | undefined;
  /** The parent's access to tools. */
  readonly access: PinnedAccess | undefined;
  readonly withheldAbove?: readonly SectionPath[] | undefined;
  readonly chosenBy: ControlsInForce['chosenBy'];
}

/** Determines what controls a delegation. Throws a refusal if its restrictions are too large. */
export function controlsInForce(sources: ControlSources): ControlsInForce {
  const { definition, approve, run, access, withheldAbove = [], chosenBy } = sources;
  const narrowed = withApprovals(narrowAccess(access, definition?.tools), approve);
  const bytes = narrowed === undefined ? 0 : utf8(canonicalJson(narrowed)).length;
  if (bytes > maxAccessBytes) {
    throw new DispatchRefusedError(
      chosenBy,
      `the tool restrictions and approval rules of all levels have ${bytes} bytes, and the limit is ${maxAccessBytes}`,
      'Do the work yourself. (For the author: use fewer or shorter restrictions.)',
    );
  }
  return { controls: mergeControls(definition, run), access: narrowed, withheldAbove, chosenBy };
}

/** A composition with the controls applied, and remarks about controls that had nothing to apply to. */
export interface ControlledComposition {
  readonly input: CompositionInput;
  readonly remarks: readonly string[];
}

/**
 * Applies controls to a composition. What they add follows what the composition has; they never remove anything from it.
 * Throws a refusal if a section that has to be withheld does not exist.
 */
export function applyControls(input: CompositionInput, inForce: ControlsInForce): ControlledComposition {
  const { controls, access } = inForce;
  const { escalation, scope } = controls;
  const { cadence, attachments = [], citations } = controls.reporting ?? {};
  const remarks: string[] = [];
  const withTools = applyAccess(input, access);
  const { delegation, instructions = {}, reporting = {} } = withTools;
  return {
    remarks,
    input: {
      ...withTools,
      delegation: {
        ...delegation,
        scope: {
          include: [...(delegation.scope?.include ?? []), ...(scope?.include ?? [])],
          exclude: [...(delegation.scope?.exclude ?? []), ...(scope?.exclude ?? [])],
        },
      },
      instructions: {
        ...instructions,
        principles: [...(instructions.principles ?? []), ...(controls.principles ?? [])],
        policies: policiesOf(input, controls, remarks),
        ...(escalation === undefined ? {} : { escalation }),
      },
      reporting: {
        ...reporting,
        ...(cadence === undefined ? {} : { cadence }),
        attachments: [...(reporting.attachments ?? []), ...attachments],
        ...(citations === undefined ? {} : { citations }),
      },
      ...redactionsOf(input, inForce, remarks),
    },
  };
}

type Redactions = Pick<CompositionInput, 'redactions' | 'redactionNotes'>;

function redactionsOf(
  { parent, redactions = [] }: CompositionInput,
  { controls, withheldAbove, chosenBy }: ControlsInForce,
  remarks: string[],
): Redactions {
  // Nothing is left to withhold when the whole prompt is.
  if (redactions.some(({ path }) => path.length === 0)) return { redactions };
  const found = new Map(redactions.map((redaction) => [formatSectionPath(redaction.path), redaction]));
  const notes: string[] = [];
  for (const { path: pattern, reason, required } of controls.redactions ?? []) {
    const paths = sectionsMatching(pattern, parent.sections);
    for (const path of paths) if (!found.has(path.join('/'))) found.set(path.join('/'), { path: [...path], reason });
    if (paths.length > 0) continue;
    if (withheldAbove.some((path) => covers(path, pattern))) {
      notes.push(`\`${pattern}\` – withheld from the parent agent already (${reason})`);
      continue;
    }
    if (required === true) throw missingSection(chosenBy, pattern, parent.sections);
    notes.push(`\`${pattern}\` – the parent prompt has no such section, so nothing was withheld (${reason})`);
    remarks.push(`redactions: the parent prompt has no section ${pattern}, so nothing was withheld`);
  }
  return { redactions: [...found.values()], redactionNotes: notes };
}

/** Whether what was withheld under a path includes the sections of a pattern. */
function covers(withheld: SectionPath, pattern: string): boolean {
  const start = pattern.split('/').slice(0, withheld.length).join('/');
  return withheld.length === 0 || matchesGlob(start, formatSectionPath(withheld));
}

function missingSection(
  field: ControlsInForce['chosenBy'],
  pattern: string,
  sections: CompositionInput['parent']['sections'] = [],
): DispatchRefusedError {
  const known = sections.filter(({ path }) => path.length === 1).map(({ path }) => formatSectionPath(path));
  return new DispatchRefusedError(
    field,
    `this delegation must withhold the section "${pattern}", and your prompt has no such section`,
    `Do the work yourself. (For the author: your prompt has the sections ${known.join(', ')}.)`,
    'Prompt.UnknownSection',
  );
}

function sectionsMatching(pattern: string, sections: CompositionInput['parent']['sections'] = []): SectionPath[] {
  return sections.map(({ path }) => path).filter((path) => matchesGlob(pattern, formatSectionPath(path)));
}

type Policies = NonNullable<NonNullable<CompositionInput['instructions']>['policies']>;

/** A path that the parent's prompt does not have would cite nothing, so it is left out. */
function policiesOf({ parent }: CompositionInput, { policies = {} }: TextControls, remarks: string[]): Policies {
  const resolve = (pattern: string, kind: string): string[][] => {
    const paths = sectionsMatching(pattern, parent.sections);
    if (paths.length === 0) remarks.push(`policies.${kind}: the parent prompt has no section ${pattern}`);
    return paths.map((path) => [...path]);
  };
  return {
    inherited: (policies.inherited ?? []).flatMap((pattern) => resolve(pattern, 'inherited')),
    relaxed: (policies.relaxed ?? []).flatMap(({ path: pattern, how, reason }) =>
      resolve(pattern, 'relaxed').map((path) => ({ path, how, reason })),
    ),
    added: [...(policies.added ?? [])],
  };
}

type Tooling = NonNullable<CompositionInput['tooling']>;
type ListedTool = NonNullable<Tooling['tools']>[number];

/** States revoked and restricted tools in both places: in the list of tools, and in the instructions. */
function applyAccess(input: CompositionInput, access: PinnedAccess | undefined): CompositionInput {
  if (access === undefined || !isRestricting(access)) return input;
  const { tooling = {}, instructions = {}, delegation } = input;
  const { added: given = [], ...listed } = tooling;
  const isRevoked = (name: string): boolean => revocationOf(access, name) !== undefined;
  const tools = (tooling.tools ?? []).map((tool) => withAccess(tool, access));
  const added = given
    .filter(({ name }) => !isRevoked(name))
    .map((tool) => withAccess({ ...tool, access: tool.access ?? 'inherited' }, access));
  const changed = [...tools, ...added].filter(({ name, access: now }) => now === 'restricted' || isRevoked(name));
  const stated = new Set(changed.map(({ name }) => name));
  const hasDispatchTool = tools.some(({ name, access: now }) => isDispatchTool(name) && now !== 'revoked');
  return {
    ...input,
    delegation: { ...delegation, mayDelegateFurther: delegation.mayDelegateFurther && hasDispatchTool },
    tooling: { ...listed, tools, ...(added.length === 0 ? {} : { added }) },
    instructions: {
      ...instructions,
      toolPolicies: [
        ...(instructions.toolPolicies ?? []).filter(({ tool }) => !stated.has(tool)),
        ...changed.map((tool) => ({ tool: tool.name, text: policyText(tool, access) })),
      ],
    },
  };
}

function withAccess(tool: ListedTool, access: PinnedAccess): ListedTool {
  const revoked = revocationOf(access, tool.name);
  if (revoked !== undefined) return { ...tool, access: 'revoked', ...revoked };
  const restricted = explainRestrictions(access, tool.name);
  return restricted === undefined || tool.access === 'revoked'
    ? tool
    : { ...tool, access: 'restricted', ...restricted };
}

function policyText({ name, access: now, reason = '', alternative = '' }: ListedTool, access: PinnedAccess): string {
  const what =
    now === 'revoked'
      ? 'not available'
      : `restricted: ${restrictionsOf(access, name).map(describeRestriction).join('; ')}`;
  return `${what}. ${reason} Instead: ${alternative}`;
}
