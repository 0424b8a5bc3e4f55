import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * The class of markdown-it, without what the page has no use for: options, presets, a renderer and the rewriting of
 * addresses. It does what the whole one does with `{ html: false, linkify: false, typographer: false }`.
 */
const parserOnly = `var MarkdownIt = class {
  options = { maxNesting: 100 };
  inline = new ParserInline();
  block = new ParserBlock();
  core = new ParserCore();
  helpers = { parseLinkLabel, parseLinkDestination, parseLinkTitle };
  normalizeLink(url) { return url; }
  normalizeLinkText(url) { return url; }
  validateLink(url) {
    const address = url.trim();
    return !/^(vbscript|javascript|file|data):/i.test(address) || /^data:image\\/(gif|png|jpeg|webp);/i.test(address);
  }
  parse(text, env) {
    const state = new this.core.State(text, this, env);
    this.core.process(state);
    return state.tokens;
  }
};`;

/** A token without the methods for its attributes, which no rule calls. */
const plainToken = `var Token = class {
  map = null;
  attrs = null;
  level = 0;
  children = null;
  content = '';
  markup = '';
  info = '';
  meta = null;
  block = false;
  hidden = false;
  constructor(type, tag, nesting) { Object.assign(this, { type, tag, nesting }); }
};`;

/** A list of rules that are all enabled and stay in their order. */
const fixedRules = `var Ruler = class {
  rules = [];
  chains = {};
  push(name, rule, { alt = [] } = {}) { this.rules.push({ rule, chains: ['', ...alt] }); }
  getRules(name) {
    return (this.chains[name] ??= this.rules.filter(({ chains }) => chains.includes(name)).map(({ rule }) => rule));
  }
};`;

/** Regions of markdown-it's file, named by the end of the path of their source, and what takes their place. */
const replacedRegions: Readonly<Record<string, string>> = {
  'helpers/esm/defineProperty.js': 'function _defineProperty(object, name, value) { object[name] = value; }',
  'src/common/html_blocks.ts': '',
  'src/common/html_re.ts': '',
  'src/index.ts': 'var MarkdownItCallable = MarkdownIt;',
  'src/markdownit.ts': parserOnly,
  'src/renderer.ts': '',
  'src/ruler.ts': fixedRules,
  'src/rules_block/html_block.ts': 'function html_block() {}',
  'src/rules_core/linkify.ts': 'function linkify$1() {}',
  'src/rules_core/replacements.ts': 'function replace() {}',
  'src/rules_core/smartquotes.ts': 'function smartquotes() {}',
  'src/rules_inline/html_inline.ts': 'function html_inline() {}',
  'src/rules_inline/linkify.ts': 'function linkify() {}',
  'src/token.ts': plainToken,
};

/** Packages of markdown-it that the page replaces by less. */
const replacedPackages = ['entities', 'linkify-it', 'mdurl', 'punycode.js', 'uc.micro'];

/** For esbuild's option `alias`. */
export const markdownAliases = Object.fromEntries(
  replacedPackages.map((name) => [name, './page/text/markdown-it-parts.ts']),
);

/** Leaves out what the page does not use of markdown-it: a third of its code, 6 kB of the page. */
export const markdownParser: Plugin = {
  name: 'markdown-parser',
  setup(build) {
    build.onLoad({ filter: /markdown-it\.mjs$/ }, ({ path }) => ({
      contents: withoutRegions(readFileSync(path, 'utf8')),
      loader: 'js',
    }));
  },
};

function withoutRegions(source: string): string {
  return Object.entries(replacedRegions).reduce((text, [name, replacement]) => {
    const start = text.search(new RegExp(`//#region \\S*${name}\n`));
    const end = text.indexOf('//#endregion', start);
    // Another version of it has other parts, and somebody has to look at them.
    if (start < 0 || end < 0) throw new Error(`markdown-it has no region "${name}"`);
    return text.slice(0, start) + replacement + text.slice(end);
  }, source);
}
