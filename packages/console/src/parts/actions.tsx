import type { ComponentChildren } from 'preact';
import type { Scope } from '../scope.js';
import { useDesk } from './screen.js';

/** Whether the key may change what is in the scope, as far as is known from the API. */
export function useMay(scope: Scope): boolean {
  const { lacking } = useDesk();
  return !lacking.has(scope) && !lacking.has('change');
}

interface ActionsProps {
  scope: Scope;
  children: ComponentChildren;
}

/** Buttons for changes, shown only if the key may make them. */
export function Actions({ scope, children }: ActionsProps) {
  return useMay(scope) ? <div class="buttons start">{children}</div> : null;
}
