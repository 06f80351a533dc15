export interface ProcessMark {
  pid: number;
  startedAt: string;
}

export function markOf(pid: number): ProcessMark | null;
export function isRunning(mark: ProcessMark): boolean;
