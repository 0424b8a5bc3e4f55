import MarkdownIt, { type Token } from 'markdown-it';
import { httpHost, linkTarget } from './link';

/** Elements that have only children. */
type MarkdownTag =
  | 'p'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'
  | 'em'
  | 'strong'
  | 's';

/** A part of a text. HTML is text like any other: it is shown as it was written. */
export type MarkdownNode =
  | string
  | {
      readonly kind: 'element';
      readonly tag: MarkdownTag;
      readonly children: readonly MarkdownNode[];
      readonly start?: number;
      readonly align?: string;
    }
  | { readonly kind: 'line'; readonly tag: 'hr' | 'br' }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'inline-code'; readonly text: string }
  | {
      readonly kind: 'link';
      readonly href: string;
      readonly host: string | null;
      readonly children: readonly MarkdownNode[];
    }
  | { readonly kind: 'image'; readonly alt: string; readonly host: string | null };

const tags: ReadonlySet<string> = new Set<MarkdownTag>([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'em',
  'strong',
  's',
]);

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** Reads markdown. */
export function markdownTree(text: string): readonly MarkdownNode[] {
  return siblings(new Tokens(parser.parse(text, {})));
}

/** Tokens in their order: opening and closing ones are siblings. */
class Tokens {
  private index = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  next(): Token | undefined {
    return this.tokens[this.index++];
  }
}

/** Nodes up to the token that closes their parent. */
function siblings(tokens: Tokens): MarkdownNode[] {
  const nodes: MarkdownNode[] = [];
  for (let token = tokens.next(); token !== undefined && token.nesting !== -1; token = tokens.next()) {
    if (token.nesting === 1) nodes.push(...opened(token, siblings(tokens)));
    else nodes.push(...single(token));
  }
  return nodes;
}

function opened(token: Token, children: MarkdownNode[]): readonly MarkdownNode[] {
  // Paragraphs of tight lists.
  if (token.hidden) return children;
  if (token.type === 'link_open') return link(attribute(token, 'href'), children);
  if (!isTag(token.tag)) return children;
  const start = Number(attribute(token, 'start'));
  const align = /text-align:(left|center|right)/.exec(attribute(token, 'style'))?.[1];
  return [
    {
      kind: 'element',
      tag: token.tag,
      children,
      ...(start > 0 ? { start } : {}),
      ...(align !== undefined ? { align } : {}),
    },
  ];
}

function single(token: Token): readonly MarkdownNode[] {
  switch (token.type) {
    case 'inline':
      return siblings(new Tokens(token.children ?? []));
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [{ kind: 'line', tag: 'br' }];
    case 'hr':
      return [{ kind: 'line', tag: 'hr' }];
    case 'code_inline':
      return [{ kind: 'inline-code', text: token.content }];
    case 'code_block':
    case 'fence':
      return [
        { kind: 'code', text: token.content.replace(/\n$/, ''), language: token.info.trim().split(/\s/)[0] ?? '' },
      ];
    case 'image':
      return [{ kind: 'image', alt: token.content, host: httpHost(attribute(token, 'src')) }];
    default:
      return token.content === '' ? [] : [token.content];
  }
}

/** A target that may not be opened is text behind the text of the link. */
function link(href: string, children: MarkdownNode[]): readonly MarkdownNode[] {
  const target = linkTarget(href, plainText(children));
  if (target === null) return [...children, plainText(children) === href ? '' : ` (${href})`];
  return [{ kind: 'link', ...target, children }];
}

/** Number of nodes, with everything below them. */
export function countNodes(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce(
    (sum, node) => sum + 1 + (typeof node !== 'string' && 'children' in node ? countNodes(node.children) : 0),
    0,
  );
}

function plainText(nodes: readonly MarkdownNode[]): string {
  const text = (node: MarkdownNode): string => {
    if (typeof node === 'string') return node;
    if ('children' in node) return plainText(node.children);
    return 'text' in node ? node.text : '';
  };
  return nodes.map(text).join('');
}

function attribute(token: Token, name: string): string {
  return String(token.attrs?.find(([key]) => key === name)?.[1] ?? '');
}

function isTag(tag: string): tag is MarkdownTag {
  return tags.has(tag);
}
