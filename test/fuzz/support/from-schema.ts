import fc from 'fast-check';
import type { Json } from '../../../domain/kernel';
import { hostileText } from './values';

/** The parts of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Texts for some properties, by their name, where a schema says less than the code that reads them. */
export type Texts = Readonly<Record<string, fc.Arbitrary<Json>>>;

/**
 * Generates values that a schema accepts, mostly: what it says about lengths and patterns is kept roughly. `texts` has
 * generators for properties of these names.
 */
export function valuesOf(schema: Schema, texts: Texts = {}): fc.Arbitrary<Json> {
  return new Generator(schema, texts).of(schema, 0);
}

const deepest = 5;

class Generator {
  constructor(
    private readonly root: Schema,
    private readonly texts: Texts,
  ) {}

  of(schema: Schema, depth: number): fc.Arbitrary<Json> {
    if (schema.$ref !== undefined) return this.of(this.resolve(schema.$ref), depth + 1);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.of(choice, depth + 1)));
    if (schema.allOf !== undefined) return this.merged(schema.allOf, depth);
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    if (types.length === 0) return fc.oneof(hostileText, fc.constantFrom<Json>(null, 1, true, [], {}));
    return fc.oneof(...types.map((type) => this.ofType(type, schema, depth)));
  }

  private ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<Json> {
    switch (type) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return this.array(schema, depth);
      case 'string':
        return text(schema);
      case 'integer':
      case 'number':
        return number(schema, type === 'integer');
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  }

  private object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): fc.Arbitrary<Json> {
    const isShallow = depth < deepest;
    const wanted = Object.entries(properties).filter(([name]) => isShallow || required.includes(name));
    const fields = Object.fromEntries(
      wanted.map(([name, one]): [string, fc.Arbitrary<Json>] => [name, this.texts[name] ?? this.of(one, depth + 1)]),
    );
    const known = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) }) as fc.Arbitrary<Json>;
    if (typeof additionalProperties !== 'object' || !isShallow) return known;
    const others = fc.dictionary(name, this.of(additionalProperties, depth + 1), { maxKeys: 3 });
    return fc.tuple(known, others).map(([one, more]) => ({ ...more, ...(one as object) }));
  }

  private array({ items = {}, minItems = 0, maxItems = 4 }: Schema, depth: number): fc.Arbitrary<Json> {
    const most = depth < deepest ? Math.max(minItems, Math.min(maxItems, 4)) : minItems;
    return fc.array(this.of(items, depth + 1), { minLength: minItems, maxLength: most });
  }

  private merged(parts: readonly Schema[], depth: number): fc.Arbitrary<Json> {
    return fc
      .tuple(...parts.map((part) => this.of(part, depth + 1)))
      .map((values) => Object.assign({}, ...(values as object[])) as Json);
  }

  private resolve(ref: string): Schema {
    const path = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
    return path.reduce((at, name) => (at as Record<string, Schema>)[name] ?? {}, this.root);
  }
}

const word = fc.constantFrom('alpha', 'beta', 'notes.md', 'src/main.ts', 'Look at it.', 'S001', 'a', 'x1', '2');
const name = fc.constantFrom('alpha', 'beta', 'gamma_2', 'x');

function text({ minLength = 0, maxLength = 2_000, pattern, format }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom('2027-01-02T03:04:05Z', '2027-01-02T03:04:05.678Z');
  if (pattern !== undefined)
    return fc.oneof({ weight: 3, arbitrary: matching(pattern) }, { weight: 1, arbitrary: word });
  const fits = (value: string): boolean => value.length >= minLength && value.length <= maxLength;
  const hostile = hostileText.map((value) => (fits(value) ? value : 'x'.repeat(Math.max(minLength, 1))));
  return fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: hostile });
}

/** Texts that match, if the pattern is one that the generator can read. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return word;
  }
}

function number(schema: Schema, isWhole: boolean): fc.Arbitrary<number> {
  const { minimum = schema.exclusiveMinimum ?? -5, maximum = Math.max(minimum + 1, 100_000) } = schema;
  const edges = [minimum, maximum].map((edge) => (isWhole ? Math.round(edge) : edge));
  const small = fc.integer({
    min: Math.ceil(minimum),
    max: Math.max(Math.ceil(minimum), Math.min(maximum, Math.ceil(minimum) + 20)),
  });
  const between = isWhole ? small : fc.oneof(small, fc.double({ min: minimum, max: maximum, noNaN: true }));
  return fc.oneof({ weight: 3, arbitrary: between }, { weight: 1, arbitrary: fc.constantFrom(...edges) });
}
