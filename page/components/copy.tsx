import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { Button } from './button';

interface CopyProps {
  /** The text, or how to get it. */
  readonly text: string | (() => string | Promise<string>);
  readonly label?: string;
  readonly children?: ComponentChildren;
}

/** A button that copies a text. */
export function Copy({ text, label = 'Copy', children }: CopyProps): VNode {
  const done = useSignal<'copied' | 'not copied' | null>(null);
  const copy = async (): Promise<void> => {
    done.value = (await copyText(typeof text === 'string' ? text : await text())) ? 'copied' : 'not copied';
    setTimeout(() => {
      done.value = null;
    }, 1_500);
  };
  return (
    <Button
      kind="quiet"
      icon={done.value === 'copied' ? 'done' : 'copy'}
      label={done.value ?? label}
      onClick={() => void copy()}
    >
      {children}
    </Button>
  );
}

/** A command, with a button that copies it. */
export function CommandLine({ line }: { readonly line: string }): VNode {
  return (
    <span class="command-line">
      <code>{line}</code>
      <Copy text={line} label={`Copy ${line}`} />
    </span>
  );
}

/** Copies a text. The second way is for pages from `file://` in browsers that do not count them as secure. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without the permission
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
