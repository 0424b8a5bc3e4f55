import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { agentPath } from '../api';
import { Button } from '../components/button';
import { Copy } from '../components/copy';
import { Icon } from '../components/icon';
import { formatBytes, formatCount, plural, shortId } from '../format';
import type { PromptView } from '../protocol';
import { agentHref, followLink, goWithin } from '../state/place';
import { HugeText } from '../text/huge-text';
import { Markdown } from '../text/markdown';
import { VisibleText } from '../text/visible-text';
import { HashCheck } from './hash-check';
import { Loaded, useLoaded } from './loaded';
import { nestedSections, type PromptNode } from './prompt-sections';
import { saveFile } from './save-file';

interface PromptTabProps {
  readonly run: string;
  readonly path: string;
  /** Id of the section that the address names. */
  readonly section: string | undefined;
}

/** The prompt as it was sent. The part that comes from the parent is folded. */
export function PromptTab({ run, path, section }: PromptTabProps): JSX.Element {
  const { data, again } = useLoaded<PromptView>(agentPath(run, 'prompt', { agent: path }));
  return (
    <Loaded data={data} again={again}>
      {(prompt) => <Prompt run={run} path={path} prompt={prompt} section={section} />}
    </Loaded>
  );
}

interface PromptProps extends PromptTabProps {
  readonly prompt: PromptView;
}

function Prompt({ run, path, prompt, section }: PromptProps): JSX.Element {
  const isRendered = useSignal(false);
  return (
    <div class="prompt">
      <nav class="prompt-sections" aria-label="Sections">
        {prompt.sections.map(({ id, title, level, parent }) => (
          <button
            key={id}
            type="button"
            class={`prompt-section level-${Math.min(level, 4)}`}
            aria-current={id === section ? 'true' : undefined}
            onClick={() => goWithin({ params: { s: id } })}
          >
            <VisibleText text={title} />
            {parent !== undefined && <Icon name="right" />}
          </button>
        ))}
      </nav>
      <div class="prompt-text">
        {nestedSections(prompt.sections).map((node) => (
          <Section key={node.id} run={run} node={node} target={section} isRendered={isRendered.value} />
        ))}
      </div>
      <PromptFooter run={run} path={path} prompt={prompt}>
        <Button pressed={isRendered.value} onClick={() => (isRendered.value = !isRendered.value)}>
          Rendered
        </Button>
      </PromptFooter>
    </div>
  );
}

interface PromptFooterProps {
  readonly run: string;
  readonly path: string;
  readonly prompt: PromptView;
  readonly children: ComponentChildren;
}

function PromptFooter({ run, path, prompt, children }: PromptFooterProps): JSX.Element {
  const text = prompt.sections.map((each) => each.text).join('');
  const id = path.slice(path.lastIndexOf('/') + 1);
  const name = path === '' ? run : `${run}/${id}`;
  return (
    <footer class="prompt-footer">
      <HashCheck hash={prompt.hash} text={text} isIntact={prompt.isIntact} />
      <span title={`${formatCount(prompt.bytes)} bytes`}>
        {formatBytes(prompt.bytes)}, {plural(prompt.sections.length, 'section')}
      </span>
      {children}
      <Copy text={text} label="Copy the prompt">
        copy
      </Copy>
      <Button kind="quiet" icon="save" onClick={() => saveFile(`prompt-${id === '' ? run : shortId(id)}.md`, text)}>
        save .md
      </Button>
      <span class="command-line">
        <code>baton prompt {name}</code>
        <Copy text={`baton prompt ${name}`} label="Copy the command" />
      </span>
    </footer>
  );
}

interface SectionProps {
  readonly run: string;
  readonly node: PromptNode;
  readonly target: string | undefined;
  readonly isRendered: boolean;
}

function Section({ run, node, target, isRendered }: SectionProps): JSX.Element {
  const element = useRef<HTMLElement>(null);
  const isTarget = node.id === target;
  useEffect(() => {
    if (isTarget) element.current?.scrollIntoView({ block: 'start' });
  }, [isTarget]);
  return (
    <section ref={element} class={isTarget ? 'prompt-part target' : 'prompt-part'} id={`section-${node.id}`}>
      {node.parent === undefined ? (
        <SectionText text={node.text} isRendered={isRendered} />
      ) : (
        <ParentPrompt run={run} node={node} target={target} isRendered={isRendered} parent={node.parent} />
      )}
    </section>
  );
}

function SectionText({ text, isRendered }: { readonly text: string; readonly isRendered: boolean }): JSX.Element {
  return isRendered ? <Markdown text={text} /> : <HugeText text={text} />;
}

/** The prompt of the parent inside this one, folded. It may contain that of its own parent. */
function ParentPrompt({
  run,
  node,
  target,
  isRendered,
  parent,
}: SectionProps & { readonly parent: NonNullable<PromptNode['parent']> }): JSX.Element {
  const isWanted =
    target !== undefined && (node.id === target || node.children.some((child) => contains(child, target)));
  const isOpen = useSignal(isWanted);
  useEffect(() => {
    if (isWanted) isOpen.value = true;
  }, [isWanted]);
  return (
    <details class="parent-prompt" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <Icon name="right" class="call-arrow" />
        Prompt of {parent.path === ''
          ? 'the root'
          : shortId(parent.path.slice(parent.path.lastIndexOf('/') + 1))} · {formatBytes(parent.bytes)} ·{' '}
        {plural(node.lines, 'line')}{' '}
        <a href={agentHref(run, parent.path, { tab: 'prompt' })} onClick={followLink}>
          its own
        </a>
      </summary>
      {isOpen.value && (
        <div class="parent-prompt-body">
          {node.text !== '' && (
            <EmbeddedPrompt run={run} path={parent.path} text={node.text} target={target} isRendered={isRendered} />
          )}
          {node.children.map((child) => (
            <Section key={child.id} run={run} node={child} target={target} isRendered={isRendered} />
          ))}
        </div>
      )}
    </details>
  );
}

interface EmbeddedPromptProps {
  readonly run: string;
  readonly path: string;
  readonly text: string;
  readonly target: string | undefined;
  readonly isRendered: boolean;
}

/** The prompt of the parent, in its own sections if these are the bytes that it was sent. */
function EmbeddedPrompt({ run, path, text, target, isRendered }: EmbeddedPromptProps): JSX.Element {
  const { data } = useLoaded<PromptView>(agentPath(run, 'prompt', { agent: path }));
  const now = data.value;
  if (now.is === 'loading') return <p class="muted">…</p>;
  const sections = now.is === 'ready' ? now.value.sections : [];
  if (sections.map((each) => each.text).join('') !== text) return <SectionText text={text} isRendered={isRendered} />;
  return (
    <>
      {nestedSections(sections).map((child) => (
        <Section key={child.id} run={run} node={child} target={target} isRendered={isRendered} />
      ))}
    </>
  );
}

function contains(node: PromptNode, id: string): boolean {
  return node.id === id || node.children.some((child) => contains(child, id));
}
