declare module 'baton-joined-own' {
  const workflows: Readonly<Record<string, unknown>>;
  export = workflows;
}

declare module 'baton-joined-theirs' {
  const workflows: Readonly<Record<string, unknown>>;
  export = workflows;
}
