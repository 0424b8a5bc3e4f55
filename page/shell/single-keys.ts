import { signal } from '@preact/signals';

const name = 'baton.keys';

/** Whether keys without Ctrl do something. Speech input and some screen readers type them by accident. */
export const singleKeys = signal(localStorage.getItem(name) !== 'off');

/** Turns single keys on or off, and keeps it. */
export function setSingleKeys(isOn: boolean): void {
  singleKeys.value = isOn;
  localStorage.setItem(name, isOn ? 'on' : 'off');
}
