// JSON Schemas of types that have no zod schema, made by the TypeScript compiler, so that types and schemas can't disagree.
import { join, resolve } from 'node:path';
import ts from 'typescript';

type Schema = Readonly<Record<string, unknown>>;

const root = resolve(__dirname, '..', '..');

/** Types that say nothing about their content. */
const anything: ReadonlySet<string> = new Set(['Json', 'JsonObject']);

/** Makes schemas of the exported types of some files. Files are paths from the root of the project. */
export class TypeSchemas {
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;

  constructor(files: readonly string[]) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.parseJsonConfigFileContent({ ...config, files, include: [] }, ts.sys, root);
    this.program = ts.createProgram(
      files.map((file) => join(root, file)),
      options,
    );
    this.checker = this.program.getTypeChecker();
  }

  /** Returns the schema of an exported type. Types with a name are in `$defs`. */
  schemaOf(file: string, name: string): Schema {
    const source = this.program.getSourceFile(join(root, file));
    const module = source && this.checker.getSymbolAtLocation(source);
    const symbol = module && this.checker.getExportsOfModule(module).find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`${file} exports no type ${name}`);
    const definitions = new Map<string, Schema>();
    const schema = new Converter(this.checker, definitions).inline(this.checker.getDeclaredTypeOfSymbol(symbol));
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...describe(this.checker, symbol),
      ...schema,
      ...(definitions.size === 0 ? {} : { $defs: Object.fromEntries([...definitions].sort(byName)) }),
    };
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function describe(checker: ts.TypeChecker, symbol: ts.Symbol): Schema {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim();
  return text === '' ? {} : { description: text };
}

class Converter {
  constructor(
    private readonly checker: ts.TypeChecker,
    private readonly definitions: Map<string, Schema>,
  ) {}

  /** The schema of a type, as a reference if it has a name. */
  private of(type: ts.Type): Schema {
    const symbol = type.aliasSymbol ?? (isInterface(type) ? type.getSymbol() : undefined);
    if (symbol === undefined || this.checker.isArrayType(type)) return this.inline(type);
    const { name } = symbol;
    if (anything.has(name)) return { description: 'any JSON value' };
    // Generic types, such as Readonly<…>, are not the same for all their arguments.
    if ((type.aliasTypeArguments ?? []).length > 0 || isSimple(type)) return this.inline(type);
    if (!this.definitions.has(name)) {
      // Before it is known, because a type may contain itself.
      this.definitions.set(name, {});
      this.definitions.set(name, { ...describe(this.checker, symbol), ...this.inline(type) });
    }
    return { $ref: `#/$defs/${name}` };
  }

  inline(type: ts.Type): Schema {
    if (type.isUnion()) return this.union(type);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    const { flags } = type;
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' };
    if (flags & ts.TypeFlags.String) return { type: 'string' };
    if (flags & ts.TypeFlags.Number) return { type: 'number' };
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: item === undefined ? {} : this.of(item) };
    }
    return this.object(type);
  }

  private union(type: ts.UnionType): Schema {
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    const members = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    if (members.every((member) => member.isStringLiteral()))
      return { type: 'string', enum: members.map((member) => member.value) };
    const booleans = members.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral);
    const others = booleans.length === 2 ? members.filter((member) => !booleans.includes(member)) : members;
    const schemas = [...(booleans.length === 2 ? [{ type: 'boolean' }] : []), ...others.map((each) => this.of(each))];
    return schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas };
  }

  private object(type: ts.Type): Schema {
    const values = type.getStringIndexType();
    const symbols = this.checker.getPropertiesOfType(type);
    const properties = symbols.map((symbol) => [symbol.name, this.property(symbol)] as const);
    const required = symbols.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional)).map(({ name }) => name);
    return {
      type: 'object',
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required }),
      ...(values === undefined ? {} : { additionalProperties: this.of(values) }),
    };
  }

  private property(symbol: ts.Symbol): Schema {
    const type = this.checker.getTypeOfSymbol(symbol);
    return { ...describe(this.checker, symbol), ...this.of(type) };
  }
}

function isInterface(type: ts.Type): boolean {
  return type.isClassOrInterface();
}

/** Types that are as short as a reference. */
function isSimple(type: ts.Type): boolean {
  return !(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union | ts.TypeFlags.Intersection));
}
