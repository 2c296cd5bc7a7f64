# Signs a program with the certificate that has the thumbprint KALENDS_CERTIFICATE, and fails if that isn't valid.
param([Parameter(Mandatory)] [string] $File)
$ErrorActionPreference = "Stop"
$found = Get-Item "Cert:\CurrentUser\My\$env:KALENDS_CERTIFICATE"
$done = Set-AuthenticodeSignature $File -Certificate $found -HashAlgorithm SHA256 -TimestampServer http://timestamp.digicert.com
if ($done.Status -ne "Valid") { throw $done.StatusMessage }
