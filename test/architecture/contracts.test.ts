import ts from 'typescript';
import { activityContracts } from '../../activities/contracts';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import * as messages from '../../workflows/messages';
import * as workflows from '../../workflows';
import { programFolders, sourcesIn, type Source } from './sources';

// Histories and running workflows depend on wire names, so each is written once: in the contract of its message,
// activity or workflow. Everything else refers to the contract.

const wireNames: readonly string[] = [...activityContracts, ...workflowContracts, ...messageContracts].map(
  ({ name }) => name,
);
const isContractFile = (path: string): boolean => /^domain\/.*contract\.ts$/.test(path);

/** Literals that equal a wire name but are something else. */
const exceptions: readonly { readonly path: string; readonly names: readonly string[]; readonly is: string }[] = [
  { path: 'domain/session/slices/files-slice.ts', names: ['files'], is: 'the name of a slice' },
  { path: 'domain/session/session.ts', names: ['files'], is: 'the name of a slice' },
  { path: 'domain/session/snapshot.ts', names: ['snapshot'], is: 'a field in an error message' },
  { path: 'activities/session/snapshots.ts', names: ['snapshot'], is: 'a field in an error message' },
  { path: 'domain/skill/outline.ts', names: ['files'], is: 'a word in a prompt' },
  { path: 'activities/tool/builtin/grep.ts', names: ['files'], is: 'a word in a tool result' },
  { path: 'client/event/record.ts', names: ['session'], is: 'the owner of an event' },
  { path: 'client/event/translate/lifecycle.ts', names: ['session'], is: 'the owner of an event' },
  { path: 'cli/operator/decisions.ts', names: ['pause', 'resume', 'steer'], is: 'the name of a command' },
  { path: 'cli/session/session.ts', names: ['session'], is: 'the name of a command' },
  { path: 'cli/agent/event-line.ts', names: ['pause', 'resume'], is: 'a word in the output' },
];

interface Literal {
  readonly name: string;
  readonly where: string;
  readonly path: string;
}

/** String literals that equal a wire name, except for the names of fields: `Agent['session']`. */
function literalsIn({ path, text }: Source): Literal[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && wireNames.includes(node.text) && !isFieldName(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ name: node.text, where: `${path}:${line + 1}`, path });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isFieldName(literal: ts.StringLiteralLike): boolean {
  const { parent } = literal;
  if (ts.isLiteralTypeNode(parent)) return ts.isIndexedAccessTypeNode(parent.parent);
  if (ts.isPropertyAssignment(parent)) return parent.name === literal;
  return ts.isElementAccessExpression(parent);
}

/** The page and its server have names of their own for what they ask of each other, which no history contains. */
const isOfPage = (path: string): boolean => /^(page|cli\/ui)\//.test(path);

const isExcepted = ({ path, name }: Literal): boolean =>
  isOfPage(path) || exceptions.some((exception) => exception.path === path && exception.names.includes(name));

/** Literals of wire names that are not their definition in a contract. */
function repeated(sources: readonly Source[]): string[] {
  const defined = new Set<string>();
  return sources
    .flatMap(literalsIn)
    .filter((literal) => {
      if (isExcepted(literal)) return false;
      if (!isContractFile(literal.path) || defined.has(literal.name)) return true;
      defined.add(literal.name);
      return false;
    })
    .map(({ name, where }) => `${where}: '${name}'`);
}

describe('wire names', () => {
  const sources = sourcesIn([...programFolders, 'bench', 'scripts']);

  test('are written once, in contracts', () => {
    expect(repeated(sources)).toEqual([]);
    const inContracts = sources.filter(({ path }) => isContractFile(path)).flatMap(literalsIn);
    expect(inContracts.map(({ name }) => name).sort()).toEqual([...wireNames].sort());
  });

  test('are reported when they are repeated', () => {
    const planted: Source[] = [
      { path: 'domain/agent/contract.ts', text: `export const run = workflowContract('runWorkflow', {});` },
      { path: 'domain/relay/contract.ts', text: `export const again = workflowContract('runWorkflow', {});` },
      { path: 'client/agent/start.ts', text: `client.workflow.start('runWorkflow');\nconst name = \`runTurn\`;` },
      { path: 'activities/session/find.ts', text: `type Name = 'isClosed'; type Field = Input['session'];` },
      { path: 'cli/operator/decisions.ts', text: `new Command('pause'); const x = { 'session': y['files'] };` },
    ];
    expect(repeated(planted)).toEqual([
      "domain/relay/contract.ts:1: 'runWorkflow'",
      "client/agent/start.ts:1: 'runWorkflow'",
      "client/agent/start.ts:2: 'runTurn'",
      "activities/session/find.ts:1: 'isClosed'",
    ]);
  });

  test('have no exception that is not needed any more', () => {
    const literals = sources.flatMap(literalsIn);
    const unused = exceptions.flatMap(({ path, names }) =>
      names.filter((name) => !literals.some((literal) => literal.path === path && literal.name === name)),
    );
    expect(unused).toEqual([]);
  });

  test('of messages and workflows are those that workflows handle and export', () => {
    expect(Object.values(messages).map(({ name }) => name)).toEqual(
      expect.arrayContaining(messageContracts.map(({ name }) => name)),
    );
    expect(Object.keys(messages)).toHaveLength(messageContracts.length);
    expect(Object.keys(workflows).sort()).toEqual(workflowContracts.map(({ name }) => name).sort());
  });
});
