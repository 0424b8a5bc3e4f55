import { DomainError, type Json, type JsonObject } from '../kernel';
import { cleanText } from './clean-text';

/** A schema that every provider accepts, or why there is none. */
export type NormalizedSchema = { readonly schema: JsonObject } | { readonly problem: string };

const maxDepth = 24;
/** Maximum bytes of a schema after references are replaced. */
const maxSchemaBytes = 64 * 1024;
const maxTextLength = 2_000;
/** Property names that providers accept. */
const propertyName = /^[A-Za-z0-9_.-]{1,64}$/;
/** Keywords without a meaning for a model, or that refer to other documents. */
const dropped: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  '$dynamicAnchor',
  '$dynamicRef',
  '$vocabulary',
]);
const combinators: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const'];
/** Keywords whose members are named by the author of the schema, so that no name among them is a keyword. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired']);

/** Thrown and caught here, for a schema that can't be converted. */
class Unusable extends DomainError {
  readonly type = 'Input.Invalid';
}

/**
 * Converts the input schema of a tool to one that providers accept: an object at the top, local references replaced,
 * without keywords that only validators use. The server checks arguments against its own schema in any case.
 */
export function normalizeSchema(value: unknown): NormalizedSchema {
  if (!isObject(value)) return { problem: 'its input schema is not an object' };
  const { type } = value;
  if (type !== undefined && type !== 'object') return { problem: 'its input schema does not have type "object"' };
  try {
    const top = withoutCombinators(new Normalizer(value).normalize(value, 0, []));
    const { properties } = top;
    const names = isObject(properties) ? Object.keys(properties) : [];
    const wrong = names.find((name) => !propertyName.test(name));
    if (wrong !== undefined)
      return { problem: `providers do not accept the parameter name "${cleanText(wrong, 100)}"` };
    return { schema: { ...top, type: 'object', properties: properties ?? {} } };
  } catch (error) {
    if (error instanceof Unusable) return { problem: error.message };
    throw error;
  }
}

/** Providers reject alternatives at the top. */
function withoutCombinators(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !combinators.includes(key)));
}

class Normalizer {
  /** Bytes that the schema may still have. References could multiply its size. */
  private left = maxSchemaBytes;

  constructor(private readonly root: Readonly<Record<string, unknown>>) {}

  normalize(schema: Readonly<Record<string, unknown>>, depth: number, path: readonly string[]): JsonObject {
    const { $ref: ref, ...rest } = schema;
    if (ref === undefined) return this.members(rest, depth, path, true);
    if (typeof ref !== 'string' || !ref.startsWith('#'))
      throw new Unusable('its input schema refers to another document');
    if (path.includes(ref)) throw new Unusable('its input schema is recursive');
    const target = this.resolve(ref);
    return { ...this.normalize(target, depth + 1, [...path, ref]), ...this.members(rest, depth, path, true) };
  }

  private resolve(ref: string): Readonly<Record<string, unknown>> {
    const steps = ref.slice(1).split('/').slice(1);
    const found = steps.reduce<unknown>((value, step) => {
      const name = decodeStep(step);
      return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined;
    }, this.root);
    if (isObject(found)) return found;
    throw new Unusable(`its input schema refers to "${cleanText(ref, 100)}", which does not exist`);
  }

  private members(
    value: Readonly<Record<string, unknown>>,
    depth: number,
    path: readonly string[],
    areKeywords: boolean,
  ): JsonObject {
    if (depth > maxDepth) throw new Unusable(`its input schema is nested more than ${maxDepth} levels deep`);
    const kept = Object.entries(value).filter(([key]) => key !== '__proto__' && !(areKeywords && dropped.has(key)));
    return Object.fromEntries(
      kept.map(([key, member]) => {
        this.take(key.length + 4);
        return [key, this.member(member, depth + 1, path, areKeywords && maps.has(key))];
      }),
    );
  }

  private member(value: unknown, depth: number, path: readonly string[], isMap: boolean): Json {
    if (isMap && isObject(value)) return this.members(value, depth, path, false);
    if (isObject(value)) return this.normalize(value, depth, path);
    if (Array.isArray(value)) {
      if (depth > maxDepth) throw new Unusable(`its input schema is nested more than ${maxDepth} levels deep`);
      return value.map((item) => this.member(item, depth + 1, path, false));
    }
    const scalar = typeof value === 'string' ? cleanText(value, maxTextLength) : value;
    this.take(typeof scalar === 'string' ? scalar.length + 2 : 6);
    return isScalar(scalar) ? scalar : null;
  }

  private take(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new Unusable(`its input schema has more than ${maxSchemaBytes} bytes`);
  }
}

/** `~1` is a slash and `~0` a tilde in a JSON pointer. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
