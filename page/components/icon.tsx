import { h, type VNode } from 'preact';
import { type IconName, iconNodes } from '../icons';

/** An icon. It is decoration: what it means is always written beside it or in the name of the control. */
export function Icon({ name, class: className = '' }: { name: IconName; class?: string }): VNode {
  return (
    <svg class={`icon ${className}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {iconNodes(name).map(([element, attributes]) => h(element, attributes))}
    </svg>
  );
}
