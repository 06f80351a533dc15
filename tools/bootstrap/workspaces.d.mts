export function workspaces(root: string): string[];
