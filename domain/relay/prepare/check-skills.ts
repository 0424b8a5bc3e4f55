import type { FieldProblem, Json } from '../../kernel';
import { controlsProblems } from '../../prompt';
import type { SkillDefinition } from '../../skill';
import { type JsonSchema, jsonViolation, type XmlField } from '../../prompt/output';
import {
  formatSegments,
  type InputMapping,
  referencesOf,
  type RelayDefinition,
  type RelayStep,
  type Segment,
} from '..';

/** Looks up a skill by name; undefined when it does not exist. */
export type FindSkill = (name: string) => SkillDefinition | undefined;

/**
 * Checks the steps against their skills: the input that each step passes, and the outputs that the relay uses. Also
 * checks the texts of the relay's controls.
 */
export function checkRelaySkills(relay: RelayDefinition, find: FindSkill): FieldProblem[] {
  const steps = relay.steps.flatMap((step, index) => {
    const skill = find(step.skill);
    const own =
      skill === undefined
        ? [{ path: ['skill'], message: `unknown skill "${step.skill}"` }]
        : [...inputProblems(skill, step), ...feedbackProblems(relay, step, find)];
    return [...own, ...outputProblems(relay, step, find)].map(({ path, message }) => ({
      path: ['steps', index, ...path],
      message,
    }));
  });
  const controls = controlsProblems(relay.delegation);
  return [...steps, ...controls.map(({ path, message }) => ({ path: ['delegation', ...path], message }))];
}

function inputProblems(
  { name, input: { properties = {}, required = [], additionalProperties } }: SkillDefinition,
  step: RelayStep,
): FieldProblem[] {
  const missing = required.filter((field) => !Object.hasOwn(step.input, field));
  return [
    ...missing.map((field) => ({ path: ['input'], message: `skill "${name}" requires the field "${field}"` })),
    ...mappingProblems(name, { properties, closed: additionalProperties === false }, step.input, ['input']),
  ];
}

/** Checks feedback against the skill of the loop's target step, which may differ from the skill of this step. */
function feedbackProblems({ steps }: RelayDefinition, { loop }: RelayStep, find: FindSkill): FieldProblem[] {
  const target = loop === undefined ? undefined : find(steps.find(({ name }) => name === loop.to)?.skill ?? '');
  if (target === undefined) return [];
  const { properties = {}, additionalProperties } = target.input;
  const shape = { properties, closed: additionalProperties === false };
  return mappingProblems(target.name, shape, loop?.feedback ?? {}, ['loop', 'feedback']);
}

function mappingProblems(
  skill: string,
  {
    properties,
    closed,
  }: { readonly properties: NonNullable<SkillDefinition['input']['properties']>; readonly closed: boolean },
  mapping: InputMapping,
  at: readonly PropertyKey[],
): FieldProblem[] {
  return Object.entries(mapping).flatMap(([field, value]) => {
    const path = [...at, field];
    const schema = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (schema === undefined) return closed ? [{ path, message: `skill "${skill}" does not accept this field` }] : [];
    const literal: Json | undefined = 'value' in value ? value.value : undefined;
    const violation = literal === undefined ? undefined : jsonViolation(schema, literal);
    if (violation !== undefined) return [{ path, message: violation.message }];
    const text = 'from' in value && value.as === 'text' && schema.type !== 'string';
    return text ? [{ path: [...path, 'as'], message: `skill "${skill}" requires the type ${schema.type} here` }] : [];
  });
}

function outputProblems({ steps }: RelayDefinition, step: RelayStep, find: FindSkill): FieldProblem[] {
  return referencesOf(step).flatMap(({ path, reference }) => {
    if (reference.to !== 'step') return [];
    const source = steps.find(({ name }) => name === reference.step);
    const skill = source === undefined ? undefined : find(source.skill);
    if (source === undefined || skill === undefined) return [];
    const inside = source.each === undefined ? reference.path : reference.path.slice(1);
    const message = outputPathProblem(skill, inside);
    return message === undefined ? [] : [{ path, message }];
  });
}

/** Returns why this path can't exist in the skill's output; undefined when it may exist. */
function outputPathProblem({ name, output }: SkillDefinition, path: readonly Segment[]): string | undefined {
  if (path.length === 0) return undefined;
  if (output === null) return `skill "${name}" returns free text, which has no fields`;
  const shape = output.json ?? (output.xml === undefined ? undefined : asSchema(output.xml));
  const missing = shape === undefined ? undefined : firstMissing(shape, path);
  return missing === undefined ? undefined : `the output of skill "${name}" has no ${formatSegments(missing)}`;
}

/** Returns the shortest prefix of the path that the schema rules out; undefined when the whole path may exist. */
function firstMissing(schema: JsonSchema, path: readonly Segment[]): readonly Segment[] | undefined {
  let at: JsonSchema | undefined = schema;
  for (const [index, segment] of path.entries()) {
    const inList: boolean = typeof segment === 'number' || segment === '*';
    if (at.type !== (inList ? 'array' : 'object')) return path.slice(0, index + 1);
    const open: boolean = inList ? at.items === undefined : at.additionalProperties !== false;
    const below: JsonSchema | undefined = inList ? at.items : ownProperty(at, String(segment));
    if (below === undefined) return open ? undefined : path.slice(0, index + 1);
    at = below;
  }
  return undefined;
}

function ownProperty({ properties = {} }: JsonSchema, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Returns the schema of the JSON that an XML element is parsed into. Repeated fields become lists. */
function asSchema({ fields }: { readonly fields?: readonly XmlField[] | undefined }): JsonSchema {
  if (fields === undefined) return { type: 'string' };
  const properties = fields.map((field): [string, JsonSchema] => {
    const schema = asSchema(field);
    return [field.name, field.repeated === true ? { type: 'array', items: schema } : schema];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
