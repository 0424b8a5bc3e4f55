import { computed, signal } from '@preact/signals';

const narrow = matchMedia('(max-width: 719px)');

/** Whether there is room for one pane only. */
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** Height of the rows of the tree, in pixels. */
export const rowHeight = computed(() => (isNarrow.value ? 44 : 28));
