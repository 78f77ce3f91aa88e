import type { AccountTexts } from './account-texts.js';

export const es: AccountTexts = {
  languages: 'Idioma',
  email: 'Correo electrónico',
  password: 'Contraseña',
  newPassword: 'Contraseña nueva',
  newPasswordNote: 'Al menos 12 caracteres. Van bien varias palabras sin relación.',
  name: 'Su nombre',
  nameNote: 'Los demás lo ven junto a los cambios que usted hace.',
  linkCode: 'Código del enlace',
  linkCodeNote: 'Pegue todo lo que aparece después de # en el enlace.',
  signIn: {
    title: 'Iniciar sesión',
    text: 'Gestione sus páginas de estado, monitores e incidencias.',
    button: 'Iniciar sesión',
    forgot: '¿Olvidó su contraseña?',
    or: 'o',
    withProvider: (host) => `Continuar con ${host}`,
    providerOnly: 'En esta instalación se inicia sesión con su proveedor de identidad.',
    notSetUp:
      'Nadie ha configurado aún esta instalación. El servicio muestra el enlace en su consola al arrancar; «heartline user invite --admin --email you@example.com» también muestra uno.',
    signedOut: 'Ha cerrado la sesión.',
    passwordChanged: 'Su contraseña ha cambiado. Inicie sesión con la nueva.',
  },
  code: {
    title: 'Confirme que es usted',
    text: 'Escriba los seis dígitos que muestra su aplicación de autenticación.',
    button: 'Confirmar',
    label: 'Código',
    note: 'Sin su teléfono, escriba uno de sus códigos de recuperación. Cada uno sirve una vez.',
    again: 'Empezar de nuevo',
  },
  setup: {
    title: 'Configurar Heartline',
    text: 'Su cuenta gestiona esta instalación: sus páginas, sus usuarios y sus ajustes.',
    demo: 'La página «demo» será suya.',
    button: 'Crear cuenta',
  },
  invitation: {
    title: 'Tiene una invitación',
    text: 'Escriba el código de su invitación para ver quién le invita, y a qué.',
    open: 'Continuar',
    toPage: (inviter, page) => `${inviter} le invita a gestionar la página de estado ${page}.`,
    toInstallation: (inviter) => `${inviter} le invita a gestionar esta instalación y todas sus páginas.`,
    role: 'Su función',
    for: 'Para',
    newAccount: 'Elija un nombre y una contraseña para crear su cuenta.',
    unprovenAccount:
      'Hay una cuenta para esta dirección, pero nadie ha demostrado aún que la dirección sea suya. Con este enlace pasa a ser suya: elija un nombre y una contraseña. La contraseña anterior, la aplicación de autenticación y las sesiones terminan.',
    existingAccount: 'Ya tiene una cuenta. Inicie sesión para aceptar.',
    haveAccount: '¿Ya tiene una cuenta?',
    notCreated:
      'No se ha creado ninguna cuenta. Si tiene una, inicie sesión para aceptar; si no, abra el enlace de su correo o pregunte a un administrador.',
    accept: 'Aceptar la invitación',
    otherAccount: (email) =>
      `Ha iniciado sesión como ${email}. Cierre la sesión primero para aceptar esta invitación.`,
  },
  reset: {
    title: 'Elegir una contraseña nueva',
    text: 'Después se cierra su sesión en todos los dispositivos.',
    button: 'Guardar la contraseña',
  },
  forgot: {
    title: '¿Olvidó su contraseña?',
    text: 'Escriba su correo y le enviamos un enlace para elegir una nueva.',
    button: 'Enviar el enlace',
    sentTitle: 'Mire su correo',
    sentText: 'Si hay una cuenta con este correo, un enlace va en camino. Sirve durante un día.',
    back: 'Volver al inicio de sesión',
  },
  signOut: 'Cerrar sesión',
  dashboard: {
    title: 'Panel',
    needsScript:
      'El panel necesita JavaScript. Todo lo que ofrece también funciona con la API y la línea de comandos.',
  },
  roles: {
    viewer: 'Lector',
    responder: 'Responsable de incidencias',
    editor: 'Editor',
    owner: 'Propietario',
  },
  roleNotes: {
    viewer: 've todo y no cambia nada',
    responder: 'escribe incidencias y mantenimientos',
    editor: 'también cambia monitores, la página y sus avisos',
    owner: 'también gestiona claves, usuarios y la base de eventos',
  },
  errors: {
    refused: 'El correo, la contraseña o el código no son correctos.',
    codeRefused: 'Este código no es correcto o ya se usó. Pruebe el siguiente que muestre su aplicación.',
    codeExpired: 'Ha pasado demasiado tiempo. Inicie sesión de nuevo.',
    tooMany: (minutes) =>
      `Demasiados intentos fallidos. Pruebe de nuevo en ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`,
    emailInvalid: 'Escriba un correo electrónico, como ann@example.com.',
    passwordMissing: 'Escriba su contraseña.',
    passwordLength: 'Elija una contraseña de 12 a 200 caracteres.',
    passwordCommon: 'Mucha gente usa esta contraseña. Elija otra.',
    passwordOwn: 'No use su nombre ni su correo como contraseña.',
    nameInvalid: 'Escriba un nombre de 200 caracteres como máximo, en una línea.',
    linkMissing: 'Pegue el código del enlace.',
    linkRefused: 'Este enlace ha caducado, ya se usó o está incompleto. Pida uno nuevo.',
    alreadySetUp: 'Esta instalación ya está configurada. Inicie sesión o pida una invitación.',
    otherOrigin: 'El formulario no venía de esta página. Envíelo de nuevo.',
    providerDown: 'El proveedor de identidad no responde. Pruebe de nuevo en un momento.',
    providerRefused: 'No se pudo iniciar sesión con el proveedor de identidad. Pruebe de nuevo.',
    providerUnknown: 'Aquí no hay ninguna cuenta para usted. Pida una invitación.',
    providerCode: (code) =>
      `No se pudo iniciar sesión con el proveedor de identidad (${code}). Pruebe de nuevo o comunique este código a su administrador.`,
    providerNoEmail:
      'El proveedor de identidad no envió su correo. Pida a su administrador el scope o el claim «email».',
    providerEmailDenied:
      'El proveedor de identidad indica que su correo no está verificado. Pida a su administrador que lo verifique allí.',
    providerEmailUnstated:
      'El proveedor de identidad no indica si su correo está verificado. Pida a su administrador el claim «email_verified» o HEARTLINE_OIDC_TRUST_EMAIL=on.',
    providerTooManyGroups:
      'Usted está en más grupos de los que envía el proveedor de identidad. Pida a su administrador que envíe solo los grupos de esta aplicación.',
    providerOtherIdentity:
      'La cuenta con su correo pertenece a otra identidad. Pida a un administrador de esta instalación que cambie el correo de esa cuenta.',
    busy: 'El servicio está saturado. Pruebe de nuevo en un momento.',
  },
};
