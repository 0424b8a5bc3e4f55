import type { JSX } from 'preact';
import type { FilesView } from '../protocol';
import { VisibleText } from '../text/visible-text';
import { type DiffLine, diffLines, diffPairs } from './diff-rows';

type Hunks = NonNullable<FilesView['files'][number]['hunks']>;

const spoken = { same: '', added: 'added', removed: 'removed' } as const;
const signs = { same: ' ', added: '+', removed: '−' } as const;

/** Changes of a file, in one column or side by side. */
export function DiffView({ hunks, columns }: { readonly hunks: Hunks; readonly columns: 1 | 2 }): JSX.Element {
  return (
    <div class="diff-scroll" tabIndex={0} role="region" aria-label="Changes">
      <table class={`diff columns-${columns}`}>
        {hunks.map((hunk, index) => (
          <tbody key={index}>
            <tr class="diff-hunk">
              <td colSpan={columns === 1 ? 3 : 4}>
                line {hunk.oldStart} → {hunk.newStart}
              </td>
            </tr>
            {columns === 1
              ? diffLines(hunk).map((line, row) => <OneColumn key={row} line={line} />)
              : diffPairs(hunk).map(({ left, right }, row) => (
                  <tr key={row}>
                    <Half line={left} number={left?.old ?? null} />
                    <Half line={right} number={right?.now ?? null} />
                  </tr>
                ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function OneColumn({ line }: { readonly line: DiffLine }): JSX.Element {
  return (
    <tr class={`diff-${line.kind}`}>
      <td class="diff-number">{line.old}</td>
      <td class="diff-number">{line.now}</td>
      <DiffText line={line} />
    </tr>
  );
}

function Half({ line, number }: { readonly line: DiffLine | null; readonly number: number | null }): JSX.Element {
  if (line === null)
    return (
      <>
        <td class="diff-number" />
        <td class="diff-nothing" />
      </>
    );
  return (
    <>
      <td class={`diff-number diff-${line.kind}`}>{number}</td>
      <DiffText line={line} />
    </>
  );
}

function DiffText({ line }: { readonly line: DiffLine }): JSX.Element {
  return (
    <td class={`diff-text diff-${line.kind}`}>
      <span class="diff-sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      {spoken[line.kind] !== '' && <span class="visually-hidden">{spoken[line.kind]}: </span>}
      <VisibleText text={line.text} />
    </td>
  );
}
