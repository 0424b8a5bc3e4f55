import { signal } from '@preact/signals';
import type { Anchor } from './conversation-state';
import {
  afterContent,
  afterReaderScroll,
  afterReaderStops,
  type Following,
  following,
  isScrollKey,
  reading,
} from './following';

/** Milliseconds after an input of the reader in which a scroll event is the reader's. */
const readerTimeMs = 300;

/**
 * Keeps what is read where it is. The view stays at the end while it follows; otherwise the first visible entry keeps its
 * distance from the top, whatever changes above it. Browsers that anchor by themselves are told not to.
 */
export class ScrollKeeper {
  readonly following = signal<Following>(following);
  private anchor: Anchor | null = null;
  private top = 0;
  private readerUntil = 0;

  constructor(
    private readonly view: HTMLElement,
    private readonly content: HTMLElement,
  ) {}

  /** Starts to listen. Returns a function that ends it. */
  attach(): () => void {
    const end = new AbortController();
    const options = { signal: end.signal, passive: true };
    const { view } = this;
    view.addEventListener('scroll', () => this.onScroll(), options);
    view.addEventListener('wheel', (event) => this.onInput(event.deltaY < 0), options);
    view.addEventListener('touchmove', () => this.onInput(true), options);
    view.addEventListener('pointerdown', () => this.onInput(false), options);
    view.addEventListener('pointermove', (event) => event.buttons !== 0 && this.onInput(false), options);
    view.addEventListener(
      'keydown',
      (event) => isScrollKey(event.key) && this.onInput(['ArrowUp', 'PageUp', 'Home'].includes(event.key)),
      options,
    );
    document.addEventListener('selectionchange', () => this.onSelection(), options);
    const resized = new ResizeObserver(() => this.keep());
    resized.observe(this.content);
    resized.observe(view);
    return () => {
      resized.disconnect();
      end.abort();
    };
  }

  /** Puts the view where it belongs after a change of the content. */
  keep(): void {
    const { view } = this;
    if (this.following.peek().isOn) view.scrollTop = view.scrollHeight;
    else this.compensate(0);
    this.remember();
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.following.value = following;
    this.keep();
  }

  /** Starts where the view is. */
  startReading(): void {
    this.following.value = reading;
  }

  /** The reader is busy with what is shown. */
  stop(): void {
    this.following.value = afterReaderStops(this.following.peek());
    this.remember();
  }

  /** Shows an element near the top. */
  show(element: Element): void {
    this.following.value = reading;
    this.view.scrollTop += element.getBoundingClientRect().top - this.view.getBoundingClientRect().top - 48;
    this.remember();
  }

  /** Goes back to where the reader was. */
  restore(anchor: Anchor): void {
    this.following.value = reading;
    this.anchor = anchor;
    this.keep();
  }

  added(turns: number): void {
    this.following.value = afterContent(this.following.peek(), turns);
  }

  get current(): Anchor | null {
    return this.anchor;
  }

  private onInput(isAway: boolean): void {
    this.readerUntil = performance.now() + readerTimeMs;
    // Before the browser scrolls: new content must not pull the view back first.
    if (isAway && this.view.scrollTop > 0) this.stop();
  }

  private onScroll(): void {
    const scrolled = this.view.scrollTop - this.top;
    if (performance.now() < this.readerUntil) {
      this.readerUntil = performance.now() + readerTimeMs;
      const { scrollTop: top, scrollHeight: height, clientHeight: viewport } = this.view;
      this.following.value = afterReaderScroll(this.following.peek(), { top, height, viewport });
    }
    if (!this.following.peek().isOn) this.compensate(scrolled);
    this.remember();
  }

  private onSelection(): void {
    const selection = document.getSelection();
    if (selection === null || selection.isCollapsed || selection.anchorNode === null) return;
    if (this.content.contains(selection.anchorNode)) this.stop();
  }

  /** Undoes what moved the first visible entry, except for the distance that was scrolled. */
  private compensate(scrolled: number): void {
    if (this.anchor === null) return;
    const element = this.content.querySelector(`[data-entry="${this.anchor.position}"]`);
    if (element === null) return;
    const shift = this.distance(element) - (this.anchor.offset - scrolled);
    if (Math.abs(shift) >= 0.5) this.view.scrollTop += shift;
  }

  private remember(): void {
    this.top = this.view.scrollTop;
    const first = firstVisible(this.content, this.view.getBoundingClientRect().top);
    this.anchor = first === null ? null : { position: Number(first.dataset['entry']), offset: this.distance(first) };
  }

  private distance(element: Element): number {
    return element.getBoundingClientRect().top - this.view.getBoundingClientRect().top;
  }
}

/** The first entry that reaches below the top of the view. Entries are in order, so half of them are left at each step. */
export function firstVisible(content: HTMLElement, top: number): HTMLElement | null {
  const entries = content.querySelectorAll<HTMLElement>('[data-entry]');
  let [from, to] = [0, entries.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.getBoundingClientRect().bottom ?? 0) <= top + 1) from = middle + 1;
    else to = middle;
  }
  return entries[from] ?? null;
}
