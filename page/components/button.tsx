import type { ComponentChildren, VNode } from 'preact';
import type { IconName } from '../icons';
import { Icon } from './icon';

interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void;
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** Name for screen readers and tooltip; required if there is only an icon. */
  readonly label?: string | undefined;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** Why the button does nothing now. It stays focusable, so that the reason can be read. */
  readonly off?: string | null | undefined;
  readonly pressed?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly class?: string;
}

export function Button(props: ButtonProps): VNode {
  const { onClick, children, icon, label, kind = 'plain', off = null, pressed, expanded } = props;
  const title = off ?? label;
  return (
    <button
      type="button"
      class={`button ${kind} ${children === undefined ? 'icon-only' : ''} ${props.class ?? ''}`}
      onClick={(event: MouseEvent) => {
        if (off === null) onClick(event);
      }}
      aria-disabled={off === null ? undefined : true}
      {...(title === undefined ? {} : { title })}
      {...(label === undefined ? {} : { 'aria-label': off === null ? label : `${label}: ${off}` })}
      aria-pressed={pressed}
      aria-expanded={expanded}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}
