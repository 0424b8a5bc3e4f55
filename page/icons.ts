import type { iconNames } from './icon-names';

/** Name of an icon. A new one is added to icon-names.ts. */
export type IconName = keyof typeof iconNames;

/** Elements of an SVG of 24 by 24: name and attributes. */
type IconNode = readonly [name: string, attributes: Readonly<Record<string, string>>];

// Set by the build, from the files of lucide-static.
declare const ICON_NODES: Readonly<Record<IconName, readonly IconNode[]>>;

/** Returns the elements of an icon. */
export function iconNodes(name: IconName): readonly IconNode[] {
  return ICON_NODES[name];
}
