/** Keys of the page, as the table of `?` shows them. */
export const keyGroups: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [key: string, does: string])[];
}[] = [
  {
    title: 'Everywhere',
    keys: [
      ['?', 'this table'],
      ['n N', 'next, previous that needs you'],
      ['Ctrl+K', 'go to an agent or run'],
      ['/', 'filter; Enter searches all texts'],
      ['g', 'all runs'],
      ['y', 'copy a link to this place'],
    ],
  },
  {
    title: 'Tree',
    keys: [
      ['↑ ↓ k j', 'row before, after'],
      ['← →', 'close, open; to the parent, to the first child'],
      ['Enter Esc', 'to the detail; back to the tree'],
      ['x X', 'next, previous failure'],
      ['p t', 'parent, root'],
      ['e w', 'open all, close all'],
      ['. z', 'tidy; idle time'],
    ],
  },
  {
    title: 'Agent',
    keys: [
      ['1 – 6', 'tab'],
      ['[ ]', 'turn before, after'],
      ['{ }', 'tool call before, after'],
      ['o O', 'open or close this; all in view'],
      ['End', 'follow'],
    ],
  },
];
