/** Blocks an async script until a test opens the gate. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Creates a closed gate. */
export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
