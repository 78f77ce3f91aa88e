import { useNames } from '../../../reads/use-names.js';
import type { Values } from '../known.js';
import { type ChoosableVariable, Variables } from './variables.js';

type NamedProps = { variables: readonly ChoosableVariable[]; values: Values };

/** Fields for the variables of a board, with the names of services and endpoints that had requests. */
export function NamedVariables(props: NamedProps) {
  return props.variables.length === 0 ? null : <Named {...props} />;
}

function Named({ variables, values }: NamedProps) {
  const { services, endpoints } = useNames(values.service ?? '');
  return <Variables {...{ variables, values }} suggestions={{ service: services, endpoint: endpoints }} />;
}
