import { Component, type ComponentType, h, type VNode } from 'preact';

/** Draws a component again only if one of its properties is another value than before. Signals that it reads still count. */
export function memo<Props extends object>(inner: (props: Props) => VNode | null): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const names = Object.keys(next) as (keyof Props)[];
      return names.some((name) => next[name] !== this.props[name]);
    }

    override render(props: Props): VNode {
      return h(inner as ComponentType<object>, props);
    }
  };
}
