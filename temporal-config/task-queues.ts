/** Where runs and their activities are worked on, unless a deployment chooses another name. */
export const defaultTaskQueue = 'baton';
