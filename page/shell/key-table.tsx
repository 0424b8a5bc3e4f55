import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Button } from '../components/button';
import { keyGroups } from './key-list';
import { Dialog } from './dialog';
import { singleKeys, setSingleKeys } from './single-keys';

export const isKeyTableOpen = signal(false);

/** All keys. */
export function KeyTable(): VNode {
  const close = (): void => {
    isKeyTableOpen.value = false;
  };
  return (
    <Dialog isOpen={isKeyTableOpen.value} onClose={close} label="Keys" class="key-table">
      <div class="side-head">
        <h2>Keys</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={close} />
      </div>
      <div class="key-groups">
        {keyGroups.map(({ title, keys }) => (
          <table key={title}>
            <caption>{title}</caption>
            <tbody>
              {keys.map(([key, does]) => (
                <tr key={key}>
                  <th scope="row">
                    {key.split(' ').map((each) => (
                      <kbd key={each}>{each}</kbd>
                    ))}
                  </th>
                  <td>{does}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      <label class="single-keys">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
        Single keys work. No key decides anything: approve, retry and abort need their button.
      </label>
    </Dialog>
  );
}
