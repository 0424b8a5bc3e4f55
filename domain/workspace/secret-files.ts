/**
 * A kind of files that may contain secrets, as patterns: `*` matches any characters within a name, `{a,b}` one of
 * several. A pattern with a slash matches a name within that folder. All match in any folder, whatever the case.
 */
interface SecretFiles {
  readonly kind: string;
  /** Files, or folders with everything below them. */
  readonly names: readonly string[];
  /** Only files: folders with these names are common in sources. */
  readonly files?: readonly string[];
}

const stages = '{local,dev,development,test,testing,ci,stage,staging,prod,production,live,secret,secrets,private}';
const dataFile = '{json,yml,yaml,toml,ini,cfg,conf,properties,xml,env}';
const keyTypes = '{rsa,dsa,ecdsa,ed25519,xmss,ecdsa_sk,ed25519_sk}';

/** Everything that is left out of workspaces because it commonly contains credentials. */
export const secretFiles: readonly SecretFiles[] = [
  {
    kind: 'environment variables',
    names: ['.env*', `*.env.${stages}`, `env.${stages}`, '.flaskenv', '.renviron', '.dev.vars*'],
    files: ['*.env', 'env.{bak,backup,old,orig,save,txt}'],
  },
  {
    kind: 'private keys and key stores',
    names: [
      '*.{pem,key,p8,p12,pkcs12,pfx,jks,jceks,bks,keystore,ppk,gpg,pgp,agekey,keytab,ovpn,tblk}',
      `id_${keyTypes}`,
      `id_${keyTypes}{_,-}*`,
      '*{private,secret}*.asc',
      '*{key,priv,sec}.asc',
      'ssh_host_*_key',
      'otr.private_key',
      'wg{,0,1,2,3,4,5,6,7,8,9}.conf',
      'sops/age/keys.txt',
      '{.ssh,.gnupg,.putty,.pki}',
      '{key,keystore,signing}.properties',
      'krb5cc_*',
      '.vnc/passwd',
    ],
    files: ['private{,-,_}key{,.txt}'],
  },
  {
    kind: 'password managers and wallets',
    names: [
      '*.{kdb,kdbx,psafe3,opvault,agilekeychain,1pux,kwallet,keychain,keychain-db}',
      '{.password-store,.lastpass,.local/share/keyrings}',
      '{bitwarden_export,lastpass_export}*',
      'wallet.dat',
      'utc--*',
    ],
    files: ['passwords.{txt,csv}'],
  },
  {
    kind: 'cloud providers and clusters',
    names: [
      '{.aws,.azure,.gcloud,.kube,.docker,.oci,.aliyun,.bluemix,.chef,.cloudflared,.minikube,.terraform.d}',
      '.config/{gcloud,doctl,rclone,heroku,netlify,ngrok,scw,sops,stripe,containers,flyctl,op,configstore}',
      '{.fly,.railway,.netlify,.supabase,.wrangler,.databricks,.jfrog,.pulumi}',
      '{.vercel,com.vercel.cli}/auth.json',
      '.mc/config.json',
      '{.,}docker{,-,_}config.json',
      '{gcloud,containers}/{application_default_credentials,auth}.json',
      '*{.,-,_}kubeconfig{,.yml,.yaml}',
      '{.s3cfg,.boto,.dockercfg,.dockerconfigjson,.databrickscfg,.vault-token,.terraformrc,terraform.rc}',
      '*.{tfstate,tfvars}{,.json}',
      '*.tfstate.*',
      '*.tfrc.json',
      '*.{publishsettings,azureauth,cscfg}',
      'rclone.conf',
      'ngrok.yml',
      'local.settings.json',
    ],
    files: ['kubeconfig', 'kubeconfig{.,-,_}*{yml,yaml,json,conf,bak}', 'kube{-,_,.}config{,.yml,.yaml}'],
  },
  {
    kind: 'code hosting and package registries',
    names: [
      '.config/{gh,glab-cli,hub,git/credentials}',
      '{.git-credentials,.npmrc,.yarnrc,.yarnrc.yml,.pypirc,pip.conf,pip.ini,.sentryclirc,.clasprc.json}',
      'gh/hosts.{yml,yaml}',
      '{.gem,.cargo}/credentials{,.toml}',
      '.bundle/config',
      '.m2/settings{,-security}.xml',
      'settings-security.xml',
      '.gradle/gradle.properties',
      '.nuget/nuget/nuget.config',
      '{.composer,composer,.codex}/auth.json',
      '.config/github-copilot',
      '.subversion/auth',
    ],
  },
  {
    kind: 'databases, mail and file transfer',
    names: [
      '{.pgpass,pgpass.conf,.pg_service.conf,.my.cnf,.mylogin.cnf,.redisclirc,.dbshell}',
      '{.netrc,_netrc,.authinfo,htpasswd,*.htpasswd,.htdigest,proftpdpasswd,.muttrc,.msmtprc,.fetchmailrc,.ftpconfig}',
      '{.curlrc,.wgetrc,.lftprc,.smbcredentials,.smbcreds,{.,}passwd-s3fs}',
      '.snowflake/{config,connections}.toml',
      '{sftp-config,.remote-sync,robomongo}.json',
      '.vscode/sftp.json',
      '{filezilla,recentservers,sitemanager}.xml',
      'etc/{shadow,gshadow}',
      '.{snowsql/config,dbt/profiles.yml}',
    ],
  },
  {
    kind: 'settings of web applications with database passwords',
    names: [
      'wp-config.php',
      'wp-config{-,.}*.php',
      'sites/*/settings{,.local}.php',
      'localsettings.php',
      'secret_token.rb',
    ],
  },
  {
    kind: 'credentials and tokens by name',
    names: [
      `{secret,secrets,credential,credentials}.${dataFile}`,
      `*{.,-,_}{secret,secrets}.${dataFile}`,
      `{secret,secrets}{.,-,_}${stages}.${dataFile}`,
      '*credentials.{json,csv}',
      'client{_,-}secret*.json',
      '*service{,-,_}account*.json',
      '*firebase-adminsdk*.json',
      '{gcp,gcloud,google}*key{,s,file}.json',
      '{gha-creds-*,oauth_creds,keyfile}.json',
      '{rootkey,accesskeys,*_accesskeys}.csv',
      '{.credentials,.credentials.json,.secret,.secrets,.token,.*-token,.*_token}',
      '{kaggle.json,.huggingface/token,huggingface/token,.claude.json}',
      '{.,}vault{-,_}pass{,word}*',
    ],
    files: [
      'credentials',
      'token.{json,pickle,txt}',
      '{secret,secrets,password}.txt',
      'key.json',
      '{.,}secret_key',
      'api{,-,_}key{,s}.{txt,json,yml,yaml}',
      'cookies.{txt,sqlite}',
    ],
  },
  {
    kind: 'histories of shells, and browser profiles',
    names: ['.*_history', '{.mozilla,.thunderbird}', '.config/{google-chrome,chromium,bravesoftware}'],
    files: ['{logins.json,key4.db}'],
  },
];

/** Names that are templates or public, although a pattern above matches them. */
export const harmlessFiles: readonly string[] = [
  '*.{example,sample,template,tmpl,dist,pub}',
  `*{.,-,_}{example,sample,template}.{php,tfvars,${dataFile}}`,
  '{example,sample,template}.env',
  '*pub*.asc',
];

/** Endings of copies, such as `id_rsa.bak` and `wp-config.php~`. A copy is treated like the original. */
export const copyEndings = '{~,.bak,.backup,.copy,.old,.orig,.save,.swp,.tmp}';
