import type { ComponentChildren } from 'preact';
import type { Scope } from '../scope.js';
import { useDesk } from './screen.js';

/** Whether the key has the scope, as far as is known from the API. */
export function useMay(scope: Scope): boolean {
  return !useDesk().lacking.has(scope);
}

interface ActionsProps {
  scope: Scope;
  children: ComponentChildren;
}

/** Buttons for changes, shown only if the key has the scope. */
export function Actions({ scope, children }: ActionsProps) {
  return useMay(scope) ? <div class="buttons start">{children}</div> : null;
}
