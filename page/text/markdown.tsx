import { useSignal } from '@preact/signals';
import type { JSX, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { knownLanguage } from './code-colours';
import { CodeBlock } from './code-block';
import { maxNodes, mayFormat, readWithLimits, shortText } from './limits';
import { PlainPieces } from './huge-text';
import { countNodes, type MarkdownNode, markdownTree } from './markdown-tree';
import { VisibleText } from './visible-text';
import { whenSeen } from './when-seen';

/** Milliseconds in which texts are formatted at once, in each frame. The others follow when they are on screen. */
const frameBudgetMs = 30;
let spentInFrame = 0;

/** Text of a model, with its markdown drawn. It is plain as long as nobody sees it, and if it is too long or too slow. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const later = useSignal<{ of: string; tree: readonly MarkdownNode[] | undefined } | null>(null);
  const now = later.value?.of === text ? later.value.tree : formatNow(text);
  const isWaiting = now === undefined && later.value?.of !== text && mayFormat(text);
  useEffect(() => {
    if (!isWaiting || element.current === null) return undefined;
    return whenSeen(element.current, () => {
      later.value = { of: text, tree: format(text) };
    });
  }, [text, isWaiting]);
  return (
    <div ref={element} class={now === undefined ? 'markdown plain' : 'markdown'}>
      {now === undefined ? <PlainPieces text={text} /> : now.map(draw)}
    </div>
  );
}

function format(text: string): readonly MarkdownNode[] | undefined {
  return mayFormat(text) ? readWithLimits('markdown', text, drawable) : undefined;
}

/** Throws if there are too many nodes to draw. */
function drawable(text: string): readonly MarkdownNode[] {
  const tree = markdownTree(text);
  if (countNodes(tree) > maxNodes) throw new RangeError('There are too many nodes.');
  return tree;
}

function formatNow(text: string): readonly MarkdownNode[] | undefined {
  if (text.length > shortText || spentInFrame > frameBudgetMs) return undefined;
  if (spentInFrame === 0) requestAnimationFrame(() => (spentInFrame = 0));
  const start = performance.now();
  const tree = format(text);
  spentInFrame += performance.now() - start;
  return tree;
}

/** Draws a node. Every kind is known, and none of them takes HTML. */
function draw(node: MarkdownNode): VNode | string {
  if (typeof node === 'string') return <VisibleText text={node} />;
  switch (node.kind) {
    case 'element':
      return drawElement(node);
    case 'line':
      return node.tag === 'br' ? <br /> : <hr />;
    case 'code':
      return <CodeBlock text={node.text} language={knownLanguage(node.language)} />;
    case 'inline-code':
      return (
        <code>
          <VisibleText text={node.text} />
        </code>
      );
    case 'link':
      return (
        <>
          <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
            {node.children.map(draw)}
          </a>
          {node.host !== null && <span class="link-host"> ({node.host})</span>}
        </>
      );
    case 'image':
      return (
        <span class="image-place">
          [image: <VisibleText text={node.alt} />
          {node.host === null ? '' : ` → ${node.host}`}]
        </span>
      );
  }
}

function drawElement(node: Extract<MarkdownNode, { kind: 'element' }>): VNode {
  const { tag: Tag, align } = node;
  const children = node.children.map(draw);
  if (Tag === 'ol') return <ol {...(node.start === undefined ? {} : { start: node.start })}>{children}</ol>;
  if (Tag === 'table') {
    return (
      <div class="table-scroll" tabIndex={0}>
        <table>{children}</table>
      </div>
    );
  }
  return <Tag {...(align === undefined ? {} : { class: `align-${align}` })}>{children}</Tag>;
}
