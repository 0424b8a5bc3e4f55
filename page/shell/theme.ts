import { signal } from '@preact/signals';

export type Theme = 'device' | 'light' | 'dark';
const name = 'baton.theme';

/** The theme that the reader chose. */
export const theme = signal<Theme>('device');

/** Chooses a theme, and keeps it. */
export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(name, chosen);
  apply();
}

/** Sets the theme that was chosen earlier. */
export function startTheme(): void {
  const kept = localStorage.getItem(name);
  if (kept === 'light' || kept === 'dark') theme.value = kept;
  apply();
}

function apply(): void {
  if (theme.value === 'device') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
}
