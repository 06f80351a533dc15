import type { ComponentChildren } from 'preact';
import type { Scope } from '../scope.js';
import { useDesk } from './screen.js';

/** Whether the key may do it, as far as the API has said. */
export function useMay(scope: Scope): boolean {
  return !useDesk().lacking.has(scope);
}

interface ActionsProps {
  scope: Scope;
  children: ComponentChildren;
}

/** Buttons that change something: there are none for what the key may not do. */
export function Actions({ scope, children }: ActionsProps) {
  return useMay(scope) ? <div class="buttons start">{children}</div> : null;
}
