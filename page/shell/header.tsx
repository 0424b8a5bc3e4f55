import type { VNode } from 'preact';
import { Button } from '../components/button';
import { connection } from '../state/connection';
import { followLink } from '../state/place';
import { hello } from '../state/session';
import { isKeyTableOpen } from './key-table';
import { chooseTheme, type Theme, theme } from './theme';

const themes: readonly Theme[] = ['device', 'light', 'dark'];

/** Name, server and connection, theme, keys. */
export function Header(): VNode {
  const server = hello.value;
  const nextTheme = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'device';
  return (
    <header class="header">
      <a class="brand" href="#/" onClick={followLink} aria-label="Baton: all runs">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 13 13 3" />
        </svg>
        baton
      </a>
      <span class="space" />
      {server === null ? null : (
        <span class="server muted cut" title="Address and namespace of the Temporal server">
          {server.address || (server.readOnly ? '' : 'no Temporal server')}{' '}
          <span class="wide-only">{server.namespace}</span>
        </span>
      )}
      <Status />
      <Button
        kind="quiet"
        icon={theme.value}
        label={`Theme: ${theme.value}. Change to ${nextTheme}`}
        onClick={() => chooseTheme(nextTheme)}
      />
      <Button
        kind="quiet"
        icon="keyboard"
        label="Keys (?)"
        onClick={() => {
          isKeyTableOpen.value = true;
        }}
      />
    </header>
  );
}

function Status(): VNode {
  const isAway = hello.value?.address === '';
  const words = {
    connecting: 'connecting',
    connected: isAway ? 'from the store' : hello.value?.readOnly === true ? 'live, read only' : 'live',
    lost: 'not connected',
    denied: 'no access',
    recorded: 'recorded',
  }[connection.value.is];
  return (
    <span class={`status ${isAway ? 'away' : connection.value.is}`}>
      <span class="dot" aria-hidden="true" />
      {words}
    </span>
  );
}
